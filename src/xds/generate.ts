import { invalid, type Problem } from '../errors.ts';
import { clusterOf } from './cluster.ts';
import { routesOf } from './http.ts';
import { type Inbound, isHttp, type ProxyInput } from './inbound.ts';
import { listenerOf } from './listener.ts';
import { rbacExtension } from './rbac.ts';
import { secretsOf } from './tls.ts';
import type { Snapshot } from './types.ts';

/**
 * All that a proxy is to have, as proto3 JSON (docs/design/access.md#delivery).
 *
 *   http inbound   cluster, routes, listener, and its RBAC as an extension config that the listener asks for
 *   tcp inbound    cluster, listener with its RBAC in it, and the RBAC as an extension config for other people's listeners
 *
 * Throws `invalid` when two inbounds have one name or listen at one place: the proxy keeps what it has.
 */
export function generate({ inbounds, certificates }: ProxyInput): Snapshot {
  const problems = [...repeated(inbounds, nameOf, 'name'), ...repeated(inbounds, placeOf, 'address and port')];
  if (problems.length > 0) throw invalid(problems);
  return {
    clusters: inbounds.map(clusterOf),
    secrets: inbounds.length === 0 ? [] : secretsOf(certificates),
    extensions: inbounds.map(rbacExtension),
    listeners: inbounds.map(listenerOf),
    routes: inbounds.filter(isHttp).map(routesOf),
  };
}

const nameOf = ({ name }: Inbound): string => name;
const placeOf = ({ address, port }: Inbound): string => `${address} ${port}`;

function repeated(inbounds: readonly Inbound[], what: (inbound: Inbound) => string, called: string): Problem[] {
  const values = inbounds.map(what);
  return values.flatMap((value, index) => {
    const isFirst = values.indexOf(value) === index;
    return isFirst ? [] : [{ field: `inbounds[${index}]`, reason: `another inbound has the ${called} ${value}` }];
  });
}
