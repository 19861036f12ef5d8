import type { Enforcement } from '../control/enforce/enforcement.ts';
import type { ProxyRules } from '../control/enforce/proxy-rules.ts';
import { nodeId } from '../xds/server/proxy-id.ts';
import type { Xds } from '../xds/server/xds-server.ts';

/** The rules that each connected proxy was told of, by node id; undefined for what could not be worked out. */
export type ToldRules = ReadonlyMap<string, ProxyRules | undefined>;

/**
 * After a commit: tells the connected proxies whose rules are other ones. Goes mesh by mesh, since the store is asked
 * once for all of a mesh. In: what they were told before. Out: what they are told now. This is not what `GivenRules`
 * knows: a new stream may have been given rules that the proxy's other streams were not told of.
 *
 *   told {a: 1, b: 2}; a and b are connected, the rules of a are 3 now  ->  a is told, {a: 3, b: 2}
 */
export function sendChanges(
  xds: Pick<Xds, 'connected' | 'changed'>,
  enforcement: Pick<Enforcement, 'rulesIn'>,
  told: ToldRules,
): ToldRules {
  const meshes = new Map<string, (name: string) => ProxyRules | undefined>();
  const now = new Map<string, ProxyRules | undefined>();
  for (const proxy of xds.connected()) {
    const rulesOf = meshes.get(proxy.mesh) ?? rulesIn(enforcement, proxy.mesh);
    meshes.set(proxy.mesh, rulesOf);
    const rules = rulesOf(proxy.name);
    now.set(nodeId(proxy), rules);
    if (rules === undefined || rules !== told.get(nodeId(proxy))) xds.changed(proxy);
  }
  return now;
}

/** An error here happens again when the snapshot is made, and is shown then. */
function rulesIn(enforcement: Pick<Enforcement, 'rulesIn'>, mesh: string): (name: string) => ProxyRules | undefined {
  const attempt = <T>(what: () => T): T | undefined => {
    try {
      return what();
    } catch {
      return undefined;
    }
  };
  const rulesOf = attempt(() => enforcement.rulesIn(mesh));
  return (name) => attempt(() => rulesOf?.(name));
}
