import { isRoute, type KindType } from '../kinds.ts';

/** What a reference may say besides its kind. */
interface ReferenceFields {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly sectionName?: string | undefined;
  readonly mesh?: string | undefined;
  readonly proxyTypes?: readonly string[] | undefined;
}

export type ReferenceField = keyof ReferenceFields;

/** What a kind of reference may say. `needs`: it must have one of these. */
export interface ReferenceRule {
  readonly may: readonly ReferenceField[];
  readonly needs?: readonly ReferenceField[];
}

/** The kinds that may stand at a position. `optional`: no reference at all means the whole mesh there. */
export interface ReferencePosition<Kind extends string = string> {
  readonly kinds: Readonly<Partial<Record<Kind, ReferenceRule>>>;
  readonly optional: boolean;
}

function position<Kind extends string>(
  optional: 'optional' | 'needed',
  kinds: Readonly<Record<Kind, ReferenceRule>>,
): ReferencePosition<Kind> {
  return { optional: optional === 'optional', kinds };
}

const SECTION: ReferenceRule = { may: ['name', 'namespace', 'labels', 'sectionName'], needs: ['name', 'labels'] };
const ROUTE: ReferenceRule = { may: ['name', 'namespace', 'labels'], needs: ['name', 'labels'] };
/** A service by the value of its tag `kuma.io/service`: no namespace, for a tag's value has none. */
const TAGGED: ReferenceRule = { may: ['name', 'tags'], needs: ['name'] };

/** `spec.targetRef`: the proxies that a policy configures. */
export const TOP = position('optional', {
  Mesh: { may: ['proxyTypes'] },
  MeshSubset: { may: ['tags', 'proxyTypes'] },
  MeshService: SECTION,
  MeshServiceSubset: TAGGED,
  MeshGateway: { may: ['name', 'tags'], needs: ['name'] },
  Dataplane: { may: ['name', 'namespace', 'labels', 'sectionName'] },
  MeshHTTPRoute: ROUTE,
  MeshTCPRoute: ROUTE,
  MeshGatewayRoute: ROUTE,
});

/** `spec.to[].targetRef`: the destinations of outgoing traffic. */
export const TO = position('needed', {
  Mesh: { may: [] },
  MeshService: SECTION,
  MeshServiceSubset: TAGGED,
  MeshMultiZoneService: SECTION,
  MeshExternalService: SECTION,
  MeshHTTPRoute: ROUTE,
  MeshTCPRoute: ROUTE,
});

/**
 * `spec.from[].targetRef`: the clients of incoming traffic, by the tags in their certificates. A namespace or labels
 * would be believed to narrow it and can't, so they are refused.
 */
export const FROM = position('optional', {
  Mesh: { may: ['mesh'] },
  MeshSubset: { may: ['tags', 'mesh'] },
  MeshService: { may: ['name', 'mesh'], needs: ['name'] },
  MeshServiceSubset: { may: ['name', 'tags', 'mesh'], needs: ['name'] },
});

/** `backendRefs[]` and mirrors of routes: where requests go. */
export const BACKEND = position('needed', {
  MeshService: SECTION,
  MeshServiceSubset: TAGGED,
  MeshMultiZoneService: SECTION,
  MeshExternalService: SECTION,
});

type KindsAt<Position> = Position extends ReferencePosition<infer Kind> ? Kind : never;
export type TopKind = KindsAt<typeof TOP>;
export type FromKind = KindsAt<typeof FROM>;
/** Of `to`, and of backends, which are among them. */
export type ToKind = KindsAt<typeof TO> | KindsAt<typeof BACKEND>;
/** Every kind of reference: a new one is an entry at its position, and the compiler lists what has to know it. */
export type TargetKind = TopKind | FromKind | ToKind;

/** A reference to what a policy is about. Which fields it may have depends on its kind and on where it stands. */
export interface TargetRef<Kind extends TargetKind = TargetKind> extends ReferenceFields {
  readonly kind: Kind;
}

/** The kind of resource that a reference names. undefined: none, but everything or whatever has its tags. */
const NAMED: Readonly<Record<TargetKind, (TargetKind & KindType) | undefined>> = {
  Mesh: undefined,
  MeshSubset: undefined,
  MeshService: 'MeshService',
  MeshServiceSubset: undefined,
  MeshMultiZoneService: 'MeshMultiZoneService',
  MeshExternalService: 'MeshExternalService',
  MeshGateway: 'MeshGateway',
  Dataplane: 'Dataplane',
  MeshHTTPRoute: 'MeshHTTPRoute',
  MeshTCPRoute: 'MeshTCPRoute',
  // A MeshHTTPRoute on a MeshGateway.
  MeshGatewayRoute: 'MeshHTTPRoute',
};

/** The kind of resource that references of a kind name, if they do: what it is called is looked up among those. */
export function namedType(kind: TargetKind): (TargetKind & KindType) | undefined {
  return NAMED[kind];
}

/** Whether references of a kind mean routes. */
export function meansRoutes(kind: TargetKind): boolean {
  const type = NAMED[kind];
  return type !== undefined && isRoute(type);
}

/** The kind of reference that `written` is at a position; undefined: none of its kinds. */
export function kindAt<Kind extends string>(position: ReferencePosition<Kind>, written: unknown): Kind | undefined {
  return typeof written === 'string' && isAt(position, written) ? written : undefined;
}

function isAt<Kind extends string>({ kinds }: ReferencePosition<Kind>, written: string): written is Kind {
  return Object.hasOwn(kinds, written);
}

/** `spec.targetRef` of a route: everything that has traffic, but not a route. */
export const TOP_OF_ROUTE: ReferencePosition<TopKind> = {
  optional: true,
  kinds: Object.fromEntries(kindsOf(TOP).flatMap((kind) => (meansRoutes(kind) ? [] : [[kind, TOP.kinds[kind]]]))),
};

/** The kinds of a position. */
export function kindsOf<Kind extends string>(position: ReferencePosition<Kind>): Kind[] {
  return Object.keys(position.kinds).filter((kind) => isAt(position, kind));
}
