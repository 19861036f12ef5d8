import type { FastifyInstance } from 'fastify';
import { inboundPorts, outboundPorts, type Port } from '../../policy/inspect/layout.js';
import { formatKri, parseKri } from '../../resource/key.js';
import { inspected, type InspectOptions, ONE } from './inspected.js';

/** `GET .../_layout`: the ports of a proxy, and those that it may call, in Kuma's shape. */
export function addLayoutRoute(app: FastifyInstance, options: InspectOptions): void {
  app.get('/meshes/:mesh/dataplanes/:name/_layout', ONE, (request) => {
    const { proxy, view } = inspected(options, request);
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
