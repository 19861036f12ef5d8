import type { z } from 'zod';
import { invalid, MeridianError } from '../errors.ts';
import type { JsonObject } from './resource.ts';
import { check } from './schema/check.ts';
import { ACTIONS, mtpSchema } from './schema/mtp.ts';
import { isAbsent, type TargetRef } from './schema/target-ref.ts';

/** How a value is compared: whole, or as a beginning in whole segments (docs/design/access.md#identities). */
export interface StringMatch {
  readonly type: 'Exact' | 'Prefix';
  readonly value: string;
}

/** A matcher in one spelling. All that is there must hold; at least one field is there. */
export interface Matcher {
  readonly spiffeId?: StringMatch;
  readonly path?: StringMatch;
  readonly method?: string;
}

export type MtpAction = (typeof ACTIONS)[keyof typeof ACTIONS];

/** A MeshTrafficPermission as its shape says it. `none`: it says nothing. */
export type Mtp =
  | {
      readonly shape: 'spiffe';
      readonly deny: readonly Matcher[];
      readonly allow: readonly Matcher[];
      readonly allowWithShadowDeny: readonly Matcher[];
    }
  | { readonly shape: 'from'; readonly items: readonly { readonly targetRef: TargetRef; readonly action: MtpAction }[] }
  | { readonly shape: 'none' };

type Spec = z.infer<typeof mtpSchema>;
type Lists = NonNullable<Spec['default']>;

/**
 * Reads the spec of a MeshTrafficPermission in any of its shapes. In: the spec, validated or not. Out: its matchers or
 * items in order, in one spelling; an absent `from[].targetRef` is Mesh, and an item without an action says nothing.
 * Throws `invalid`.
 *
 *   rules: [{default: {deny: [a]}}, {default: {deny: [b]}}]  ->  {shape: 'spiffe', deny: [a, b], ...}
 */
export function readMtp(spec: JsonObject): Mtp {
  const { data, problems } = check<Spec>(mtpSchema, spec, ['spec']);
  if (!data) throw invalid(problems);
  if (data.from) return { shape: 'from', items: data.from.flatMap(readItem) };
  if (data.rules) return readLists(data.rules.map((rule) => rule.default ?? {}));
  return data.default ? readLists([data.default]) : { shape: 'none' };
}

/** What `readMtp` gives; `broken` for what can't be read. */
export type MtpOrBroken = Mtp | { readonly shape: 'broken' };

/** What was read of a spec, which never changes: thousands of questions are asked of the same policies. */
const known = new WeakMap<JsonObject, MtpOrBroken>();

/** `readMtp`, once for each spec. */
export function mtpOf(spec: JsonObject): MtpOrBroken {
  const mtp = known.get(spec) ?? readOrBroken(spec);
  known.set(spec, mtp);
  return mtp;
}

function readOrBroken(spec: JsonObject): MtpOrBroken {
  try {
    return readMtp(spec);
  } catch (thrown) {
    if (thrown instanceof MeridianError && thrown.code === 'invalid') return { shape: 'broken' };
    throw thrown;
  }
}

/**
 * Whether each field at the top of a spec is one that is known: another may say that the policy is about more than its
 * targetRef does.
 */
export function hasKnownFields(spec: JsonObject): boolean {
  return Object.keys(spec).every((field) => Object.hasOwn(mtpSchema.shape, field));
}

function readItem(item: NonNullable<Spec['from']>[number]): { targetRef: TargetRef; action: MtpAction }[] {
  const { targetRef, default: conf } = item;
  if (conf?.action === undefined) return [];
  const kind = targetRef === undefined || isAbsent(targetRef) ? 'Mesh' : targetRef.kind;
  return [{ targetRef: { ...targetRef, kind: kind ?? 'Mesh' }, action: ACTIONS[conf.action] }];
}

function readLists(lists: readonly Lists[]): Mtp {
  const read = (name: keyof Lists): Matcher[] => lists.flatMap((item) => (item[name] ?? []).map(normalise));
  return { shape: 'spiffe', deny: read('deny'), allow: read('allow'), allowWithShadowDeny: read('allowWithShadowDeny') };
}

function normalise(given: NonNullable<Lists['deny']>[number]): Matcher {
  const spiffeId = given.spiffeId ?? given.spiffeID;
  return {
    ...(spiffeId === undefined ? {} : { spiffeId }),
    ...(given.path === undefined ? {} : { path: given.path }),
    ...(given.method === undefined ? {} : { method: given.method }),
  };
}
