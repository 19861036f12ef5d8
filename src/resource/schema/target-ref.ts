import { z } from 'zod';
import { DNS_NAME_REASON, isDnsName } from '../dns-names.ts';
import { ALWAYS } from './check-schema.ts';
import { dnsLabel, matchLabels, tags } from './kind-fields.ts';

/** A reference to what a policy is about. Which fields it may have depends on its kind and on where it stands. */
export interface TargetRef {
  readonly kind: string;
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly sectionName?: string | undefined;
  readonly mesh?: string | undefined;
  readonly proxyTypes?: readonly string[] | undefined;
}

type Field = Exclude<keyof TargetRef, 'kind'>;

/** What a kind of reference may say. `needs`: it must have one of these. */
interface ReferenceRule {
  readonly may: readonly Field[];
  readonly needs?: readonly Field[];
}

/** The kinds that may stand at a position. `optional`: no reference at all means the whole mesh there. */
export interface ReferencePosition {
  readonly kinds: Readonly<Record<string, ReferenceRule>>;
  readonly optional: boolean;
}

const SECTION: ReferenceRule = { may: ['name', 'namespace', 'labels', 'sectionName'], needs: ['name', 'labels'] };
const ROUTE: ReferenceRule = { may: ['name', 'namespace', 'labels'], needs: ['name', 'labels'] };
/** A service by the value of its tag `kuma.io/service`: no namespace, for a tag's value has none. */
const TAGGED: ReferenceRule = { may: ['name', 'tags'], needs: ['name'] };

/** `spec.targetRef`: the proxies that a policy configures. */
export const TOP: ReferencePosition = {
  optional: true,
  kinds: {
    Mesh: { may: ['proxyTypes'] },
    MeshSubset: { may: ['tags', 'proxyTypes'] },
    MeshService: SECTION,
    MeshServiceSubset: TAGGED,
    MeshGateway: { may: ['name', 'tags'], needs: ['name'] },
    Dataplane: { may: ['name', 'namespace', 'labels', 'sectionName'] },
    MeshHTTPRoute: ROUTE,
    MeshTCPRoute: ROUTE,
    MeshGatewayRoute: ROUTE,
  },
};

/** `spec.targetRef` of a route: everything that has traffic, but not a route. */
const TOP_OF_ROUTE: ReferencePosition = {
  optional: true,
  kinds: Object.fromEntries(Object.entries(TOP.kinds).filter(([kind]) => !kind.endsWith('Route'))),
};

/** `spec.to[].targetRef`: the destinations of outgoing traffic. */
export const TO: ReferencePosition = {
  optional: false,
  kinds: {
    Mesh: { may: [] },
    MeshService: SECTION,
    MeshServiceSubset: TAGGED,
    MeshMultiZoneService: SECTION,
    MeshExternalService: SECTION,
    MeshHTTPRoute: ROUTE,
    MeshTCPRoute: ROUTE,
  },
};

/**
 * `spec.from[].targetRef`: the clients of incoming traffic, by the tags in their certificates. A namespace or labels
 * would be believed to narrow it and can't, so they are refused.
 */
export const FROM: ReferencePosition = {
  optional: true,
  kinds: {
    Mesh: { may: ['mesh'] },
    MeshSubset: { may: ['tags', 'mesh'] },
    MeshService: { may: ['name', 'mesh'], needs: ['name'] },
    MeshServiceSubset: { may: ['name', 'tags', 'mesh'], needs: ['name'] },
  },
};

/** `backendRefs[]` and mirrors of routes: where requests go. */
export const BACKEND: ReferencePosition = {
  optional: false,
  kinds: { MeshService: SECTION, MeshServiceSubset: TAGGED, MeshMultiZoneService: SECTION, MeshExternalService: SECTION },
};

/** `targetRef: {}` and an absent one are the same thing (docs/design/resources.md#strictness). */
export function isAbsent(targetRef: unknown): boolean {
  return targetRef === undefined || (typeof targetRef === 'object' && targetRef !== null && Object.keys(targetRef).length === 0);
}

const fields = {
  name: z.string().min(1).max(253),
  namespace: dnsLabel,
  labels: matchLabels,
  tags,
  sectionName: dnsLabel,
  mesh: dnsLabel,
  proxyTypes: z.array(z.enum(['Sidecar', 'Gateway'])).min(1),
} satisfies Record<Field, z.ZodType>;

/**
 * The schema of a reference at a position. `extra`: fields that stand beside it in one object (weights of backends).
 */
export function targetRef<Extra extends z.ZodRawShape>(position: ReferencePosition, extra: Extra) {
  const kinds = z.enum(Object.keys(position.kinds));
  return z
    .strictObject({ kind: kinds.optional(), ...z.strictObject(fields).partial().shape, ...extra })
    .superRefine((ref: unknown, context) => {
      // Its fields may be of wrong types still: the schema above has said so, and what follows only asks which are
      // there.
      for (const [field, reason] of faults(ref as Partial<TargetRef>, position))
        context.addIssue({ code: 'custom', path: [field], message: reason });
    }, ALWAYS);
}

/** The references that stand alone, one schema for each position; their ids are their names in the OpenAPI document. */
export const topRef = targetRef(TOP, {}).meta({ id: 'TopTargetRef' });
export const routeTopRef = targetRef(TOP_OF_ROUTE, {}).meta({ id: 'RouteTopTargetRef' });
export const toRef = targetRef(TO, {}).meta({ id: 'ToTargetRef' });
export const fromRef = targetRef(FROM, {}).meta({ id: 'FromTargetRef' });

function faults(ref: Partial<TargetRef>, position: ReferencePosition): [string, string][] {
  if (ref.kind === undefined) return isAbsent(ref) && position.optional ? [] : [['kind', 'is missing']];
  const rule = Object.hasOwn(position.kinds, ref.kind) ? position.kinds[ref.kind] : undefined;
  if (!rule) return []; // the enum said so
  return [...misplaced(ref, rule), ...missing(ref, rule), ...contradictions(ref)];
}

function misplaced(ref: Partial<TargetRef>, rule: ReferenceRule): [string, string][] {
  const given = (Object.keys(fields) as Field[]).filter((field) => ref[field] !== undefined);
  return given.filter((field) => !rule.may.includes(field)).map((field) => [field, `can't be used with kind ${ref.kind} here`]);
}

function missing(ref: Partial<TargetRef>, { needs }: ReferenceRule): [string, string][] {
  if (!needs || needs.some((field) => ref[field] !== undefined)) return [];
  return [['name', `is missing: kind ${ref.kind} needs ${needs.map((field) => `\`${field}\``).join(' or ')}`]];
}

function contradictions(ref: Partial<TargetRef>): [string, string][] {
  const found: [string, string][] = [];
  if (ref.name !== undefined && ref.labels !== undefined) found.push(['labels', "can't be used together with `name`"]);
  if (ref.namespace !== undefined && ref.name === undefined) found.push(['namespace', 'needs a `name`']);
  const reason = typeof ref.name === 'string' && ref.name !== '' ? nameReason(ref.name, ref.kind) : undefined;
  return reason === undefined ? found : [...found, ['name', reason]];
}

/** Only a service's name may be no DNS name: on Kubernetes its tag is `backend_backend-ns_svc_8080`. */
function nameReason(name: string, kind: string | undefined): string | undefined {
  if (kind !== 'MeshService' && kind !== 'MeshServiceSubset') return isDnsName(name) ? undefined : DNS_NAME_REASON;
  return /^[A-Za-z0-9._-]+$/.test(name) ? undefined : 'must be letters, digits, "-", "." and "_"';
}
