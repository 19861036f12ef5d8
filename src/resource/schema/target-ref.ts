import * as z from 'zod';
import { DNS_NAME_REASON, isDnsName } from '../dns-names.ts';
import { ALWAYS } from './check-schema.ts';
import { dnsLabel, matchLabels, tags } from './kind-fields.ts';
import {
  FROM,
  kindAt,
  kindsOf,
  type ReferenceField,
  type ReferencePosition,
  type ReferenceRule,
  type TargetRef,
  TO,
  TOP,
  TOP_OF_ROUTE,
} from './reference-kinds.ts';

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
} satisfies Record<ReferenceField, z.ZodType>;

/**
 * The schema of a reference at a position. `extra`: fields that stand beside it in one object (weights of backends).
 */
export function targetRef<Kind extends string, Extra extends z.ZodRawShape>(position: ReferencePosition<Kind>, extra: Extra) {
  const kinds = z.enum(kindsOf(position));
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
  const kind = kindAt(position, ref.kind);
  const rule = kind === undefined ? undefined : position.kinds[kind];
  if (!rule) return []; // the enum said so
  return [...misplaced(ref, rule), ...missing(ref, rule), ...contradictions(ref)];
}

function misplaced(ref: Partial<TargetRef>, rule: ReferenceRule): [string, string][] {
  const given = (Object.keys(fields) as ReferenceField[]).filter((field) => ref[field] !== undefined);
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
