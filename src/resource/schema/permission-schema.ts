import { z } from 'zod';
import { ALWAYS } from './check-schema.ts';
import { METHODS, pathReason, spiffeReason } from './spiffe-matches.ts';
import { fromRef, topRef } from './target-ref.ts';
import { MATCH_TYPES, type MatchType } from '../string-match.ts';

/** Both spellings of each action (docs/design/access.md#three-shapes), and what they are called here. */
export const ACTIONS = {
  Allow: 'Allow',
  ALLOW: 'Allow',
  Deny: 'Deny',
  DENY: 'Deny',
  AllowWithShadowDeny: 'AllowWithShadowDeny',
  ALLOW_WITH_SHADOW_DENY: 'AllowWithShadowDeny',
  DenyWithShadowAllow: 'DenyWithShadowAllow',
  DENY_WITH_SHADOW_ALLOW: 'DenyWithShadowAllow',
} as const;

type WrittenAction = keyof typeof ACTIONS;

/** `{type: Exact | Prefix, value}`; `reasonFor` says what is wrong with a value of that type. */
function match(reasonFor: (type: MatchType, value: string) => string | undefined) {
  return z.strictObject({ type: z.enum(MATCH_TYPES), value: z.string() }).superRefine(({ type, value }, context) => {
    // A type that is none has been told of; its value is looked at as a whole one.
    const known = MATCH_TYPES.find((one) => one === type) ?? 'Exact';
    const reason = typeof value === 'string' ? reasonFor(known, value) : undefined;
    if (reason !== undefined) context.addIssue({ code: 'custom', path: ['value'], message: reason });
  }, ALWAYS);
}

const spiffe = match(spiffeReason).meta({ id: 'SpiffeIdMatch' });

const PATH_REASONS: Readonly<Record<MatchType, typeof pathReason>> = { Exact: pathReason, Prefix: pathReason };

/** One matcher: all that it says must hold. An empty one would match everybody. */
const matcher = z
  .strictObject({
    spiffeId: spiffe.optional(),
    spiffeID: spiffe.optional(),
    path: match((type, value) => PATH_REASONS[type](value)).optional(),
    method: z.enum(METHODS).optional(),
  })
  .superRefine((given, context) => {
    const said = Object.values(given).filter((value) => value !== undefined);
    if (said.length === 0) context.addIssue({ code: 'custom', message: 'is empty: it would match everything' });
    if (given.spiffeId !== undefined && given.spiffeID !== undefined) {
      context.addIssue({ code: 'custom', path: ['spiffeID'], message: 'is the same field as `spiffeId`: keep one' });
    }
  });

const list = z.array(matcher.meta({ id: 'Matcher' })).optional();
const lists = z.strictObject({ deny: list, allowWithShadowDeny: list, allow: list }).meta({ id: 'MatcherLists' });

const SHAPES = ['default', 'rules', 'from'] as const;
type PermissionShape = (typeof SHAPES)[number];

/**
 * A stored spec of a MeshTrafficPermission, in one of three shapes (docs/design/access.md#three-shapes):
 * `default.{deny, allowWithShadowDeny, allow}` (docs/design/sources.md#spiffe), `rules[].default.{...}` (Kuma), or
 * `from[].default.action` (docs/design/sources.md#permission). Never two of them say something.
 */
export const storedMtpSchema = z
  .strictObject({
    targetRef: topRef.optional(),
    default: lists.optional(),
    rules: z.array(z.strictObject({ default: lists.optional() })).optional(),
    from: z
      .array(
        z.strictObject({
          targetRef: fromRef.optional(),
          default: z.strictObject({ action: z.enum(Object.keys(ACTIONS) as WrittenAction[]).optional() }).optional(),
        }),
      )
      .optional(),
  })
  .superRefine((spec, context) => {
    const [first, ...others] = shapesOf(spec);
    for (const other of others) {
      context.addIssue({
        code: 'custom',
        path: [other],
        message: `can't be used together with \`${first}\`: these are two shapes of one policy`,
      });
    }
  }, ALWAYS);

/**
 * What may be written: every part of it says something, as with Kuma. What says nothing looks like a rule that holds,
 * and was for some time one that took the place of others.
 */
export const mtpSchema = storedMtpSchema.superRefine((spec, context) => {
  const silent = (path: (string | number)[], message: string): void => context.addIssue({ code: 'custom', path, message });
  if (shapesOf(spec).length === 0) {
    const given = SHAPES.filter((shape) => spec[shape] !== undefined);
    for (const shape of given) silent([shape], `says nothing: ${ADVICE[shape]}`);
    if (given.length === 0) silent([], 'says nothing: give `rules`, `default` or `from`');
  }
  for (const [index, rule] of listOf(spec.rules).entries())
    if (!saysAny(rule?.default)) silent(['rules', index], `says nothing: ${ADVICE.default}`);
  for (const [index, item] of listOf(spec.from).entries())
    if (item?.default?.action === undefined)
      silent(['from', index, 'default', 'action'], 'is missing: an item without an action says nothing');
}, ALWAYS);

const ADVICE: Readonly<Record<PermissionShape, string>> = {
  default: 'give a matcher in `deny`, `allowWithShadowDeny` or `allow`',
  rules: 'give a rule, or delete the policy',
  from: 'give an item, or delete the policy',
};

/**
 * Which shapes say something: an empty list beside another shape is as good as absent. Anything may stand in it still
 * (see ALWAYS).
 */
export function shapesOf(spec: Readonly<Partial<Record<PermissionShape, unknown>>>): PermissionShape[] {
  return SHAPES.filter((shape) => SAYS[shape](spec[shape]));
}

const SAYS: Readonly<Record<PermissionShape, (part: unknown) => boolean>> = { default: saysAny, rules: isFilled, from: isFilled };

function isFilled(list: unknown): boolean {
  return listOf(list).length > 0;
}

function saysAny(conf: unknown): boolean {
  return Object.values(conf ?? {}).some((list) => !Array.isArray(list) || list.length > 0);
}

function listOf<T>(list: T | readonly T[] | undefined): readonly T[] {
  return Array.isArray(list) ? list : [];
}
