import { includes } from '../../resource/audience.ts';
import { findKind } from '../../resource/kinds.ts';
import { LABEL } from '../../resource/labels.ts';
import { hasKnownFields } from '../../resource/permission.ts';
import { GLOBAL, type JsonValue, type Resource } from '../../resource/resource.ts';
import { check } from '../../resource/schema/check-schema.ts';
import { TOP, type TargetRef, type TopKind } from '../../resource/schema/reference-kinds.ts';
import { isAbsent, targetRef } from '../../resource/schema/target-ref.ts';
import { explicitTarget } from '../explicit-form.ts';
import { audienceAt } from '../policy-reach.ts';
import { ROLES, type Role, staysHome } from '../policy-role.ts';
import { comparePolicies } from './policy-order.ts';
import type { Policy } from './policy.ts';

const MESH: TargetRef<TopKind> = { kind: 'Mesh' };
/** What was read of resources, which never change. */
const known = new WeakMap<Resource, Policy>();
const TOP_SCHEMA = targetRef(TOP, {});

/**
 * Reads targetRef policies and puts them in order, the most specific last (docs/design/matching.md#order). What is none
 * is left out.
 */
export function readPolicies(resources: Iterable<Resource>): Policy[] {
  const read = [...resources].filter(({ key }) => findKind(key.type)?.policy).map((resource) => readPolicy(resource));
  return read.sort(comparePolicies);
}

/** Reads one resource of a kind of targetRef policies: a route is one too. */
export function readPolicy(resource: Resource): Policy {
  const policy = known.get(resource) ?? read(resource);
  known.set(resource, policy);
  return policy;
}

function read(resource: Resource): Policy {
  const { key, labels, spec } = resource;
  const role = roleHere(resource);
  const kind = findKind(key.type);
  const targetRef = readTargetRef(resource);
  return {
    resource,
    role,
    targetRef,
    explicit: targetRef && checked(explicitTarget(spec.targetRef, role, key)),
    shadow: labels[LABEL.effect] === 'shadow',
    audience: kind ? audienceAt(GLOBAL, kind, key, labels, spec, role) : { to: 'none' },
  };
}

/**
 * The role that global computed: a copy's references are rewritten, so that its spec no longer tells. Without a
 * namespace there is only one; in one, what has no role reaches no further than that namespace.
 */
export function roleHere({ key, labels }: Pick<Resource, 'key' | 'labels'>): Role {
  if (key.namespace === '') return 'system';
  return ROLES.find((role) => role === labels[LABEL.role]) ?? 'workload-owner';
}

/** A permission that may be about more than it seems is one that can't be read: it may deny there too. */
function readTargetRef({ key, spec }: Resource): TargetRef<TopKind> | undefined {
  if (key.type === 'MeshTrafficPermission' && !hasKnownFields(spec)) return undefined;
  return isAbsent(spec.targetRef ?? undefined) ? MESH : checked(spec.targetRef);
}

function checked(ref: JsonValue | undefined): TargetRef<TopKind> | undefined {
  const { data } = check(TOP_SCHEMA, ref, []);
  return data?.kind === undefined ? undefined : { ...data, kind: data.kind };
}

/**
 * Whether a policy may touch a proxy at all, whatever its targetRef says (docs/design/roles.md#whose-proxies). Only the
 * keys are asked, which no user can set, so that it is the same on global's view: a policy stays in its mesh; where it
 * isn't held it touches nothing; consumers and workload owners touch their own zone and namespace only.
 */
export function mayTouch({ resource: { key }, role, audience }: Policy, dataplane: Resource): boolean {
  const { mesh, zone, namespace } = dataplane.key;
  if (key.mesh !== mesh) return false;
  const home = key.zone === zone;
  if (staysHome(role)) return home && key.namespace === namespace;
  return home || includes(audience, key, zone);
}
