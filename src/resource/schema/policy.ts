import { z } from 'zod';
import type { Kind, PolicyShape } from '../kinds.ts';
import { anyObject } from './fields.ts';
import { httpRouteItem, tcpRouteItem } from './routes.ts';
import { fromRef, routeTopRef, topRef, toRef } from './target-ref.ts';

/** Items of `to` for the kinds that have more in them than a `default`. */
const ITEMS: Readonly<Record<string, z.ZodType>> = { MeshHTTPRoute: httpRouteItem, MeshTCPRoute: tcpRouteItem };

const toItem = z.strictObject({ targetRef: toRef, default: anyObject.optional() });
const fromItem = z.strictObject({ targetRef: fromRef.optional(), default: anyObject.optional() });
const rulesItem = z.strictObject({ matches: z.array(anyObject).optional(), default: anyObject.optional() });

/**
 * The spec of a targetRef policy: `targetRef`, and of `to`, `from`, `rules` and `default` what the kind has, each optional. A
 * `default` is carried as it is, whatever object it is (docs/design/resources.md#strictness). MeshTrafficPermission has its own schema (mtp.ts).
 */
export function policySchema(kind: Kind, shape: PolicyShape): z.ZodType {
  const item = ITEMS[kind.type];
  const lists = { to: z.array(item ?? toItem), from: z.array(fromItem), rules: z.array(rulesItem), default: anyObject };
  return z.strictObject({
    targetRef: (item ? routeTopRef : topRef).optional(),
    to: shape.to ? lists.to.optional() : none(kind, 'to'),
    from: shape.from ? lists.from.optional() : none(kind, 'from'),
    rules: shape.rules ? lists.rules.optional() : none(kind, 'rules'),
    default: shape.single ? lists.default.optional() : none(kind, 'default'),
  });
}

function none(kind: Kind, list: string): z.ZodType {
  return z.never(`a ${kind.type} has no \`${list}\` here`).optional();
}
