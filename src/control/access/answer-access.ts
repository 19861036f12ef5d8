import { type Attributes, sourceAttributes } from '../../policy/access/attributes.ts';
import { type Candidate, type Choice, narrowCandidates } from '../../policy/access/balance-sites.ts';
import { connect } from '../../policy/access/connect-workload.ts';
import { type AccessDecision, deciderFor } from '../../policy/access/decide-access.ts';
import { bindImport, type Binding } from '../../policy/access/import-bindings.ts';
import { readWorkload, type Site } from '../../policy/access/read-resources.ts';
import type { Resource } from '../../resource/resource.ts';
import { isClosed } from '../peers/first-scan-state.ts';
import type { Plane } from '../plane/plane.ts';
import type { AccessView } from './access-view.ts';
import { declinedReason } from './declined-services.ts';

/** Who calls: a proxy, or whatever somebody asks about, at a zone. */
export type AccessCaller =
  | { readonly dataplane: Resource }
  /** `zone`: whose policies are asked; '' : global's alone. */
  | { readonly attributes: Attributes; readonly zone: string };

/** What is called: a service by display name and namespace, wherever it is, or a set. */
export type AccessTarget =
  | { readonly name: string; readonly namespace: string }
  | { readonly attributes: Attributes; readonly namespace: string };

export interface AccessRequest {
  readonly mesh: string;
  readonly from: AccessCaller;
  readonly to: AccessTarget;
}

export interface AccessAnswer {
  /** The zone whose policies decide: the caller's. */
  readonly zone: string;
  readonly source: Attributes;
  /** One for each binding that may be asked for; `binding` is undefined for a set that was given. */
  readonly decided: readonly {
    readonly binding: Binding | undefined;
    readonly destination: Attributes;
    readonly decision: AccessDecision;
  }[];
  /** Bindings that no connection gets to, with the reason. */
  readonly left: readonly { readonly binding: Binding; readonly why: 'declined' | 'away' | 'unknown'; readonly reason: string }[];
  /** undefined: a set was given, or no site may serve it. */
  readonly choice: Choice | undefined;
}

/** What is decided with. */
export interface AccessGround {
  readonly plane: Plane;
  readonly view: AccessView;
  /** The MeshServices of the mesh. */
  readonly services: readonly Resource[];
  readonly hasGlobal: boolean;
  /** Why nobody gets to a zone now; undefined, as without it: nothing is known against it. */
  readonly away?: ((zone: string) => string | undefined) | undefined;
}

/**
 * Who may reach what (docs/design/attributes.md#deciding), on the side of the caller's zone: its own policies and
 * global's. A caller of an unknown site is one of whom nothing is known.
 */
export function answerAccess(ground: AccessGround, { mesh, from, to }: AccessRequest): AccessAnswer {
  const { plane, view, services, hasGlobal, away = () => undefined } = ground;
  const [zone, source] = callerOf(view, from);
  const policies = view.policies(zone);
  const closed = isClosed(plane, hasGlobal);
  const settle = (decision: AccessDecision) => (closed ? NOT_SCANNED : decision);
  if ('attributes' in to) {
    const decision = settle(deciderFor(policies, source, to.namespace)(to.attributes));
    return { zone, source, decided: [{ binding: undefined, destination: to.attributes, decision }], left: [], choice: undefined };
  }
  const { bound, declined } = bindImport({ mesh, ...to }, services);
  const left = bound.flatMap((binding) => leftOut(binding, view.sites.get(binding.key.zone), away));
  const reached = bound.filter((binding) => !left.some((one) => one.binding === binding));
  const balancing = view.balancing(zone);
  const { decided } = connect(
    { policies, balancing, bound: reached, sites: attributesOf(view.sites) },
    { source, namespace: to.namespace },
  );
  const settled = decided.map((one) => ({ ...one, decision: settle(one.decision) }));
  const allowed: readonly Candidate[] = settled.filter(({ decision }) => decision.allowed);
  const choice = allowed.length > 0 ? narrowCandidates(balancing, allowed, { source, namespace: to.namespace }) : undefined;
  return {
    zone,
    source,
    decided: settled,
    left: [...left, ...declined.map((binding) => ({ binding, why: 'declined' as const, reason: declinedReason(binding, bound[0]) }))],
    choice,
  };
}

const NOT_SCANNED: AccessDecision = {
  allowed: false,
  privileged: false,
  decidedBy: undefined,
  default: true,
  reason: 'the first scan of what global has is not complete: until then everything is denied',
  matchedInShadow: [],
};

function callerOf({ sites }: AccessView, from: AccessCaller): [zone: string, source: Attributes] {
  if ('attributes' in from) return [from.zone, from.attributes];
  const { zone } = from.dataplane.key;
  return [zone, sourceAttributes(readWorkload(from.dataplane), sites.get(zone)?.attributes)];
}

function attributesOf(sites: ReadonlyMap<string, Site>): ReadonlyMap<string, Attributes> {
  return new Map([...sites].flatMap(([zone, { attributes }]) => (attributes ? [[zone, attributes] as const] : [])));
}

function leftOut(binding: Binding, site: Site | undefined, away: (zone: string) => string | undefined): AccessAnswer['left'] {
  const { zone } = binding.key;
  if (!site) return [{ binding, why: 'unknown', reason: `no Zone ${zone} is known here, so that nothing is known of the site` }];
  if (!site.attributes) return [{ binding, why: 'unknown', reason: `the attributes of Zone ${zone} contradict each other` }];
  const reason = site.disabled ? `zone ${zone} is disabled` : away(zone);
  return reason === undefined ? [] : [{ binding, why: 'away', reason }];
}
