import type { z } from 'zod';
import { invalid, MeridianError } from '../errors.ts';
import type { JsonObject } from './resource.ts';
import { check } from './schema/check-schema.ts';
import { ACTIONS, shapesOf, storedMtpSchema } from './schema/permission-schema.ts';
import type { FromKind, TargetRef } from './schema/reference-kinds.ts';
import { isAbsent } from './schema/target-ref.ts';
import type { StringMatch } from './string-match.ts';

/** A matcher in one spelling. All that is there must hold; at least one field is there. */
export interface Matcher {
  readonly spiffeId?: StringMatch;
  readonly path?: StringMatch;
  readonly method?: string;
}

export type MtpAction = (typeof ACTIONS)[keyof typeof ACTIONS];

/** The lists of matchers that a permission may have. */
export type MatcherList = keyof PermissionLists;

export type MatcherLists = Readonly<Record<MatcherList, readonly Matcher[]>>;

/** An item of `from`. */
export interface FromItem {
  readonly targetRef: TargetRef<FromKind>;
  readonly action: MtpAction;
}

/** A MeshTrafficPermission as its shape says it. `none`: it says nothing, and so changes nothing. */
export type Mtp =
  | ({ readonly shape: 'spiffe' } & MatcherLists)
  | { readonly shape: 'from'; readonly items: readonly FromItem[] }
  | { readonly shape: 'none' };

type Spec = z.infer<typeof storedMtpSchema>;
type PermissionLists = NonNullable<Spec['default']>;

/**
 * Reads the spec of a MeshTrafficPermission in any of its shapes. In: the spec, validated or not; what says nothing may
 * be stored from before that was refused. Out: its matchers or items in order, in one spelling; an absent
 * `from[].targetRef` is Mesh, and an item without an action says nothing. Throws `invalid`.
 *
 *   rules: [{default: {deny: [a]}}, {default: {deny: [b]}}]  ->  {shape: 'spiffe', deny: [a, b], ...}
 */
export function readMtp(spec: JsonObject): Mtp {
  const { data, problems } = check<Spec>(storedMtpSchema, spec, ['spec']);
  if (!data) throw invalid(problems);
  const shape = shapesOf(data).at(0);
  switch (shape) {
    case 'default':
      return readLists([data.default ?? {}]);
    case 'rules':
      return readLists((data.rules ?? []).map((rule) => rule.default ?? {}));
    case 'from':
      return readItems(data.from ?? []);
    case undefined:
      return NONE;
  }
}

const NONE: Mtp = { shape: 'none' };

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
  return Object.keys(spec).every((field) => Object.hasOwn(storedMtpSchema.shape, field));
}

function readItems(from: NonNullable<Spec['from']>): Mtp {
  const items = from.flatMap(readItem);
  return items.length === 0 ? NONE : { shape: 'from', items };
}

function readItem(item: NonNullable<Spec['from']>[number]): FromItem[] {
  const { targetRef, default: conf } = item;
  if (conf?.action === undefined) return [];
  const kind = targetRef === undefined || isAbsent(targetRef) ? 'Mesh' : targetRef.kind;
  return [{ targetRef: { ...targetRef, kind: kind ?? 'Mesh' }, action: ACTIONS[conf.action] }];
}

function readLists(lists: readonly PermissionLists[]): Mtp {
  const read = (name: keyof PermissionLists): Matcher[] => lists.flatMap((item) => (item[name] ?? []).map(normalise));
  const [deny, allow, allowWithShadowDeny] = [read('deny'), read('allow'), read('allowWithShadowDeny')];
  return deny.length + allow.length + allowWithShadowDeny.length === 0 ? NONE : { shape: 'spiffe', deny, allow, allowWithShadowDeny };
}

function normalise(given: NonNullable<PermissionLists['deny']>[number]): Matcher {
  const spiffeId = given.spiffeId ?? given.spiffeID;
  return {
    ...(spiffeId === undefined ? {} : { spiffeId }),
    ...(given.path === undefined ? {} : { path: given.path }),
    ...(given.method === undefined ? {} : { method: given.method }),
  };
}
