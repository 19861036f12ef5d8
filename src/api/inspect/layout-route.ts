import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { inboundPorts, outboundPorts, type Port } from '../../policy/inspect/proxy-layout.ts';
import { formatKri, parseKri } from '../../resource/key.ts';
import { described, type Operation } from '../openapi/operation.ts';
import { kri, labels } from '../openapi/common-shapes.ts';
import { inspected, type InspectOptions, ONE } from './inspect-context.ts';

const port = z.strictObject({ kri, port: z.int(), protocol: z.string(), proxyResourceName: z.string() });

const operation: Operation = {
  id: 'getDataplaneLayout',
  summary: 'The ports of a proxy, and those that it may call',
  tag: 'Inspection',
  answers: {
    200: z.strictObject({ inbounds: z.array(port), kri, labels, listeners: z.array(z.never()), outbounds: z.array(port) }),
  },
};

/** `GET .../_layout`: the ports of a proxy, and those that it may call, in Kuma's shape. */
export function addLayoutRoute(app: FastifyInstance, options: InspectOptions): void {
  app.get('/meshes/:mesh/dataplanes/:name/_layout', described(ONE, operation), async (request) => {
    const { proxy, view } = await inspected(options, request);
    const { key, labels } = proxy.dataplane;
    return {
      inbounds: inboundPorts(proxy).map((port) => ({ ...port, proxyResourceName: `self_inbound_dp_${parseKri(port.kri).section}` })),
      kri: formatKri(key),
      labels,
      listeners: [],
      outbounds: outboundPorts(view.index).map((port: Port) => ({ ...port, proxyResourceName: port.kri })),
    };
  });
}
