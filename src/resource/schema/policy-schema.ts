import { z } from 'zod';
import type { Kind, PolicyShape } from '../kinds.ts';
import { ALWAYS } from './check-schema.ts';
import { anyObject } from './kind-fields.ts';
import { hostnamesOnGateways, httpRouteItem, tcpRouteItem } from './route-schema.ts';
import { tlsConf } from './tls-schema.ts';
import { fromRef, routeTopRef, topRef, toRef } from './target-ref.ts';

/** Items of `to` for the kinds that have more in them than a `default`. */
const ITEMS: Readonly<Record<string, z.ZodType>> = { MeshHTTPRoute: httpRouteItem, MeshTCPRoute: tcpRouteItem };

/**
 * What is said by the kinds that decide an access; that of other policies is carried as it is. MeshTrafficPermission
 * has a schema of its own.
 */
const CONFS: Readonly<Record<string, z.ZodType>> = { MeshTLS: tlsConf };

const toItem = z.strictObject({ targetRef: toRef, default: anyObject.optional() });
const rulesItem = z.strictObject({ matches: z.array(anyObject).optional(), default: anyObject.optional() });

/**
 * The spec of a targetRef policy: `targetRef`, and of `to`, `from`, `rules` and `default` what the kind has, each
 * optional. A `default` is carried as it is, whatever object it is (docs/design/resources.md#strictness).
 * MeshTrafficPermission has its own schema (src/resource/schema/permission-schema.ts).
 */
export function policySchema(kind: Kind, shape: PolicyShape): z.ZodType {
  const item = ITEMS[kind.type];
  const conf = CONFS[kind.type];
  const from = z.strictObject({ targetRef: fromRef.optional(), default: (conf ?? anyObject).optional() });
  const rules = conf ? z.strictObject({ default: conf.optional() }) : rulesItem;
  const lists = { to: z.array(item ?? toItem), from: z.array(from), rules: z.array(rules), default: anyObject };
  const spec = z.strictObject({
    targetRef: (item ? routeTopRef : topRef).optional(),
    to: shape.to ? lists.to.optional() : none(kind, 'to'),
    from: shape.from ? lists.from.optional() : none(kind, 'from'),
    rules: shape.rules ? lists.rules.optional() : none(kind, 'rules'),
    default: shape.single ? lists.default.optional() : none(kind, 'default'),
  });
  return kind.type === 'MeshHTTPRoute' ? spec.superRefine(hostnamesOnGateways, ALWAYS) : spec;
}

function none(kind: Kind, list: string): z.ZodType {
  return z.never(`a ${kind.type} has no \`${list}\` here`).optional();
}
