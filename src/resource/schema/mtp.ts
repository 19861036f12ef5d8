import { z } from 'zod';
import { ALWAYS } from './check.ts';
import { pathReason, spiffeReason } from './matches.ts';
import { fromRef, topRef } from './target-ref.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'] as const;

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

type Written = keyof typeof ACTIONS;

/** `{type: Exact | Prefix, value}`; `reasonFor` says what is wrong with a value of that type. */
function match(reasonFor: (type: string, value: string) => string | undefined) {
  return z.strictObject({ type: z.enum(['Exact', 'Prefix']), value: z.string() }).superRefine(({ type, value }, context) => {
    const reason = typeof value === 'string' ? reasonFor(type, value) : undefined;
    if (reason !== undefined) context.addIssue({ code: 'custom', path: ['value'], message: reason });
  }, ALWAYS);
}

const spiffe = match(spiffeReason).meta({ id: 'SpiffeIdMatch' });

/** One matcher: all that it says must hold. An empty one would match everybody. */
const matcher = z
  .strictObject({
    spiffeId: spiffe.optional(),
    spiffeID: spiffe.optional(),
    path: match((_, value) => pathReason(value)).optional(),
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

/**
 * The spec of a MeshTrafficPermission, in one of three shapes (docs/design/access.md#three-shapes): `default.{deny, allowWithShadowDeny, allow}`
 * (docs/design/sources.md#spiffe), `rules[].default.{...}` (Kuma), or `from[].default.action` (docs/design/sources.md#permission). Never two of them in one policy.
 */
export const mtpSchema = z
  .strictObject({
    targetRef: topRef.optional(),
    default: lists.optional(),
    rules: z.array(z.strictObject({ default: lists.optional() })).optional(),
    from: z
      .array(
        z.strictObject({
          targetRef: fromRef.optional(),
          default: z.strictObject({ action: z.enum(Object.keys(ACTIONS) as Written[]).optional() }).optional(),
        }),
      )
      .optional(),
  })
  .superRefine((spec, context) => {
    const [first, ...others] = SHAPES.filter((shape) => spec[shape] !== undefined);
    for (const other of others) {
      context.addIssue({
        code: 'custom',
        path: [other],
        message: `can't be used together with \`${first}\`: these are two shapes of one policy`,
      });
    }
  }, ALWAYS);
