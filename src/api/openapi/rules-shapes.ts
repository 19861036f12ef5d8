import * as z from 'zod';
import type { Operation } from './operation.ts';
import { conf, metaShape } from './common-shapes.ts';

/** What policies come to on a proxy, in Kuma's shape (src/api/inspect/rules-routes.ts). */

const inbound = z.strictObject({ port: z.int().optional(), name: z.string().optional(), tags: z.record(z.string(), z.string()) });
const matchers = z.array(z.strictObject({ key: z.string(), not: z.boolean(), value: z.string() }));
const metas = z.array(metaShape);
const origin = z.array(z.strictObject({ resourceMeta: metaShape, ruleIndex: z.int().min(0) }));
const confs = z.array(conf);

function perInbound<Rule extends z.ZodType>(rule: Rule) {
  return z.array(z.strictObject({ inbound, rules: z.array(rule) }));
}

const rules = z
  .strictObject({
    type: z.string(),
    fromRules: perInbound(z.strictObject({ conf, matchers, mesh: z.string().optional(), origin: metas })),
    inboundRules: perInbound(
      z.strictObject({ conf: confs, matches: z.array(z.unknown()).min(1).optional(), routes: metas.min(1).optional(), origin }),
    ),
    proxyRule: z.strictObject({ conf, origin: metas }).optional(),
    toResourceRules: z.array(z.strictObject({ conf: confs, origin, resourceMeta: metaShape, resourceSectionName: z.string() })),
    toRules: z.array(z.strictObject({ conf, matchers, origin: metas })),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'Rules' });

export const getRules: Operation = {
  id: 'getDataplaneRules',
  summary: 'Everything that policies come to on a proxy',
  tag: 'Inspection',
  answers: { 200: z.strictObject({ httpMatches: z.array(z.never()), resource: metaShape, rules: z.array(rules) }) },
};
