import * as z from 'zod';
import { time } from '../openapi/common-shapes.ts';

/** The shapes of insights: Kuma's, without what is of kuma-dp and of Kuma's own DNS. */

const count = z.int().min(0);
const total = z.strictObject({ total: count });
const totals = z.record(z.string(), total);
const tally = z.strictObject({ total: count, online: count, offline: count, partiallyDegraded: count });
const some = tally.partial();
const times = { creationTime: time, modificationTime: time };

export const meshInsight = z
  .strictObject({
    type: z.literal('MeshInsight'),
    name: z.string(),
    ...times,
    dataplanes: some,
    policies: totals.optional(),
    dpVersions: z.strictObject({ envoy: z.record(z.string(), some).optional() }),
    mTLS: z.strictObject({}),
    services: z.strictObject({ total: count, internal: count, external: count }).partial(),
    dataplanesByType: z.strictObject({ standard: some, gateway: some, gatewayBuiltin: some, gatewayDelegated: some }),
    resources: totals,
  })
  .meta({ id: 'MeshInsight' });

export const serviceInsight = z
  .strictObject({
    type: z.literal('ServiceInsight'),
    mesh: z.string(),
    name: z.string().describe('The value of the tag kuma.io/service'),
    ...times,
    status: z.enum(['online', 'offline', 'partially_degraded']),
    dataplanes: some,
    serviceType: z.enum(['gateway_builtin', 'gateway_delegated']).optional(),
    zones: z.array(z.string()),
  })
  .meta({ id: 'ServiceInsight' });

const half = z.strictObject({ online: count, total: count });

export const globalInsight = z
  .strictObject({
    createdAt: time,
    dataplanes: z.strictObject({ standard: tally, gatewayBuiltin: tally, gatewayDelegated: tally }),
    meshes: total,
    policies: total,
    resources: totals,
    services: z.strictObject({ external: total, internal: tally, gatewayBuiltin: tally, gatewayDelegated: tally }),
    zones: z.strictObject({ controlPlanes: half, zoneEgresses: half, zoneIngresses: half }),
  })
  .meta({ id: 'GlobalInsight' });
