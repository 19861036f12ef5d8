import { ACCESS_TYPES } from '../../policy/access/access-policies.ts';
import { bindImport, type Binding } from '../../policy/access/import-bindings.ts';
import { formatKri, type Key, keyId } from '../../resource/key.ts';
import type { Resource } from '../../resource/resource.ts';
import type { Reader } from '../../resource/store/store.ts';

/** How many are told at once. */
const MOST_NOTES = 20;

/** Why an import declines one of its bindings: all must have the attributes of the first one. */
export function declinedReason(binding: Binding, first: Binding | undefined): string {
  const [mine, theirs] = [binding.service.labels, first?.service.labels ?? {}];
  const others = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])].filter((label) => mine[label] !== theirs[label]).sort();
  const what = others.map((label) => `k8s:label:${label} is ${told(mine[label])} here and ${told(theirs[label])} there`).join('; ');
  return `its attributes differ from those of the first one, of zone ${first?.key.zone ?? ''}: ${what}`;
}

function told(value: string | undefined): string {
  return value === undefined ? 'absent' : JSON.stringify(value);
}

/** A MeshService that no import takes, and why. */
interface DeclinedService {
  readonly key: Key;
  readonly reason: string;
}

interface DeclinedAt {
  readonly revision: number;
  readonly byMesh: Map<string, ReadonlyMap<string, DeclinedService>>;
}

/** What was worked out of a store at its revision: a ledger asks for each of its peers. */
const known = new WeakMap<object, DeclinedAt>();

/**
 * The MeshServices of a mesh that no import takes (docs/design/attributes.md#imports-and-bindings), by `keyId`, with
 * the reason. None where the mesh has no access policy: nothing asks there.
 */
export function declinedServices(store: Pick<Reader, 'head' | 'list'>, mesh: string): ReadonlyMap<string, DeclinedService> {
  const { revision } = store.head();
  const before = known.get(store);
  const at = before?.revision === revision ? before : { revision, byMesh: new Map<string, ReadonlyMap<string, DeclinedService>>() };
  known.set(store, at);
  const declined = at.byMesh.get(mesh) ?? findDeclined(store, mesh);
  at.byMesh.set(mesh, declined);
  return declined;
}

/** The first of these for people, and how many more there are. */
export function declinedNotes(store: Pick<Reader, 'head' | 'list'>, mesh: string): string[] {
  const declined = [...declinedServices(store, mesh).values()];
  const shown = declined.slice(0, MOST_NOTES).map(({ key, reason }) => `no call by attributes gets to ${formatKri(key)}: ${reason}`);
  return declined.length > MOST_NOTES ? [...shown, `and to ${declined.length - MOST_NOTES} more MeshServices, see the ledger`] : shown;
}

function findDeclined(store: Pick<Reader, 'list'>, mesh: string): ReadonlyMap<string, DeclinedService> {
  const isAsked = ACCESS_TYPES.some((type) => store.list({ type, mesh }, 0, 1).items.length > 0);
  const services = isAsked ? store.list({ type: 'MeshService', mesh }, 0, Number.MAX_SAFE_INTEGER).items : [];
  const imports = new Map<string, Resource[]>();
  for (const service of services) {
    const id = `${service.key.namespace} ${service.key.name}`;
    const same = imports.get(id);
    if (same) same.push(service);
    else imports.set(id, [service]);
  }
  return new Map([...imports.values()].flatMap(declinedOf));
}

function declinedOf(services: readonly Resource[]): [string, DeclinedService][] {
  const [one] = services;
  if (!one || services.length === 1) return [];
  const { bound, declined } = bindImport({ mesh: one.key.mesh, namespace: one.key.namespace, name: one.key.name }, services);
  return declined.map((binding) => [keyId(binding.key), { key: binding.key, reason: declinedReason(binding, bound[0]) }]);
}
