import { isDeepStrictEqual } from 'node:util';
import type { Permission } from '../../policy/decide/read-permissions.ts';
import type { Policy } from '../../policy/match/policy.ts';
import { servicesAt } from '../../policy/callers/called-services.ts';
import { trustDomainOf } from '../../policy/callers/caller-identity.ts';
import { PolicyIndex } from './policy-index.ts';
import { type Inbound, type Proxy, readProxy } from '../../policy/match/read-proxy.ts';
import { matchInbound } from '../../policy/match/select-policies.ts';
import { STRICT } from '../../policy/mesh-tls.ts';
import type { Resource } from '../../resource/resource.ts';
import type { TopKind } from '../../resource/schema/reference-kinds.ts';
import type { MeshView } from '../mesh/mesh-view.ts';
import { plaintextAt } from '../mesh/plaintext-notes.ts';
import { atGateway } from './at-gateway.ts';
import { PermissionCache } from './permission-cache.ts';
import { type PlacedInbound, placesOf } from '../mesh/listen-address.ts';
import { MeshCallers } from './mesh-callers.ts';
import { decided, ProxyCompiler } from './compile-proxy.ts';
import type { ProxyRules } from './proxy-rules.ts';
import { IncrementalSelection } from './incremental-selection.ts';
import { NOTHING_SELECTED, InboundSelections } from './inbound-selections.ts';
import { SharedRbac } from './shared-rbac.ts';

/** All that the rules of a proxy are made of. */
interface ProxyInputs {
  readonly dataplane: Resource;
  readonly view: MeshView;
  /** Nobody is to get in: what denies may be missing. */
  readonly closed: boolean;
}

/** What the proxies of a mesh have in common. */
export class MeshCaches {
  readonly permissions = new PermissionCache();
  readonly selections = new InboundSelections();
  readonly rbac: SharedRbac;
  /** Of the listeners of gateways, where nobody is asked about callers of other zones: they are denied. */
  readonly gatewayRbac = new SharedRbac();
  readonly callers: MeshCallers;
  #indexed: readonly Policy[] | undefined;
  #index = new PolicyIndex([]);

  constructor(mesh: string, zone: string) {
    this.callers = new MeshCallers(zone);
    this.rbac = new SharedRbac(trustDomainOf(mesh, zone));
  }

  /** Of the permissions of the mesh. */
  index(permissions: readonly Policy[]): PolicyIndex {
    if (this.#indexed !== permissions) [this.#indexed, this.#index] = [permissions, new PolicyIndex(permissions)];
    return this.#index;
  }
}

/** A proxy with its rules, worked out again as far as something that they are made of is another object. */
export class CachedProxy {
  private readonly shared: MeshCaches;

  readonly #compiler: ProxyCompiler;
  #given: ProxyInputs | undefined;
  #callers: object | undefined;
  #rules: ProxyRules | undefined;
  #proxy: Proxy | undefined;
  #placed: readonly PlacedInbound[] = [];
  #selected = new Map<Inbound, IncrementalSelection>();

  constructor(shared: MeshCaches) {
    this.shared = shared;
    this.#compiler = new ProxyCompiler(shared.rbac, shared.gatewayRbac);
  }

  rules(given: ProxyInputs): ProxyRules {
    const before = this.#given;
    const isKnown = before !== undefined && isSameProxy(before, given);
    const isReached = isKnown && leadsTheSame(before, given);
    const { version } = this.shared.callers;
    const isSame = isReached && this.#callers === version && isSameMesh(before, given) && this.#reachesTheSame(before, given);
    if (this.#rules && isSame) return this.#rules;
    // Should this fail, everything is worked out again the next time.
    this.#given = undefined;
    const proxy = isKnown && this.#proxy ? this.#proxy : this.#read(given);
    const mayDiffer = isReached ? undefined : isLed;
    const { view, closed } = given;
    this.#rules = this.#compiler.compile(
      decided(this.#placed, (inbound) => ({
        permissions: closed ? NOTHING_SELECTED.permissions : this.#select(inbound, proxy, view, mayDiffer),
        callers: closed ? undefined : this.shared.callers.at(proxy, inbound, view),
        services: closed ? [] : servicesAt(proxy, inbound, view.index),
        plaintext: closed ? STRICT : plaintextAt(view, proxy, inbound),
        served: atGateway(view, proxy, inbound),
      })),
    );
    this.#given = given;
    this.#callers = version;
    return this.#rules;
  }

  /** A gateway sends requests on to other proxies. */
  #reachesTheSame(before: ProxyInputs, now: ProxyInputs): boolean {
    return this.#proxy?.type !== 'Gateway' || before.view.dataplanes === now.view.dataplanes;
  }

  #read({ dataplane, view }: ProxyInputs): Proxy {
    this.#proxy = readProxy(dataplane, view.index);
    this.#placed = placesOf(this.#proxy);
    this.#selected = new Map(this.#proxy.inbounds.map((inbound) => [inbound, new IncrementalSelection(this.shared.selections)]));
    return this.#proxy;
  }

  #select(inbound: Inbound, proxy: Proxy, { permissions, index }: MeshView, mayDiffer?: typeof isLed): readonly Permission[] {
    const match = (policy: Policy) => {
      const [found] = matchInbound([policy], proxy, inbound, index);
      return found && this.shared.permissions.read(found);
    };
    const maySelect = () => this.shared.index(permissions).maySelect(proxy, inbound);
    return this.#selected.get(inbound)?.among(permissions, match, maySelect, mayDiffer) ?? NOTHING_SELECTED.permissions;
  }
}

/** Whether its inbounds are the same: those of a gateway are what the MeshGateways say. */
function isSameProxy(before: ProxyInputs, now: ProxyInputs): boolean {
  return before.dataplane === now.dataplane && before.view.index.ofType('MeshGateway') === now.view.index.ofType('MeshGateway');
}

/** Whether a policy that selected an inbound still does, and selects no other. */
function leadsTheSame(before: ProxyInputs, now: ProxyInputs): boolean {
  return before.view.targets.every((list, index) => list === now.view.targets[index]);
}

/** Whether what a kind of targetRef selects depends on services, gateways or routes, and not on the Dataplane alone. */
const IS_LED: Readonly<Record<TopKind, boolean>> = {
  Mesh: false,
  MeshSubset: false,
  MeshServiceSubset: false,
  Dataplane: false,
  MeshService: true,
  MeshGateway: true,
  MeshHTTPRoute: true,
  MeshTCPRoute: true,
  MeshGatewayRoute: true,
};

function isLed({ explicit }: Policy): boolean {
  return explicit !== undefined && IS_LED[explicit.kind];
}

/** Whether permissions, and what is said of plain text, are the same. */
function isSameMesh(before: ProxyInputs, now: ProxyInputs): boolean {
  const [{ tls }, { tls: tlsNow }] = [before.view, now.view];
  if (before.closed !== now.closed || before.view.permissions !== now.view.permissions) return false;
  if (before.view.trusts !== now.view.trusts) return false;
  return tls.policies === tlsNow.policies && tls.refused === tlsNow.refused && isDeepStrictEqual(tls.mesh, tlsNow.mesh);
}
