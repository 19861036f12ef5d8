import * as z from 'zod';
import type { Kind } from '../../resource/kinds.ts';
import type { Operation } from './operation.ts';
import { PAGING } from './parameters.ts';
import { metaShape, time } from './common-shapes.ts';

/** The proxies that a policy selects, and the policies that select a proxy (src/api/inspect/selected-proxies.ts). */

const tag = 'Inspection';
const proxyKind = z.enum(['SidecarDataplane', 'MeshGatewayDataplane']);

/** All of them unless `size` is there; `next` only where there is one. */
function paged<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ total: z.int().min(0), items: z.array(item), next: z.string().optional() });
}

export function listSelected({ type }: Kind): Operation {
  return {
    id: `list${type}Dataplanes`,
    summary: `The Dataplanes that a ${type} selects`,
    tag,
    query: PAGING,
    answers: { 200: paged(metaShape) },
  };
}

const entry = z.strictObject({
  kind: proxyKind,
  dataplane: z.strictObject({ mesh: z.string(), name: z.string() }),
  attachments: z.array(z.strictObject({ type: z.literal('dataplane') })),
});

export function listSelectedOlder({ type }: Kind): Operation {
  return {
    id: `list${type}DataplanesOlder`,
    summary: `The same for older clients: the Dataplanes that a ${type} selects`,
    tag,
    query: PAGING,
    answers: { 200: paged(entry) },
  };
}

const dated = metaShape.extend({ creationTime: time, modificationTime: time });

export const getSelecting: Operation = {
  id: 'getDataplaneMatchedPolicies',
  summary: 'The policies that select a proxy, for older clients',
  tag,
  answers: {
    200: z.strictObject({
      kind: proxyKind,
      total: z.literal(1),
      items: z.array(z.strictObject({ type: z.literal('dataplane'), matchedPolicies: z.record(z.string(), z.array(dated)) })),
    }),
  },
};
