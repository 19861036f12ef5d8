import { invalid } from '../../../src/errors.ts';
import { decideBy, permissionMatches } from '../../../src/policy/decide/decide-request.ts';
import type { Action } from '../../../src/resource/permission-actions.ts';
import { givenResource } from '../../../src/policy/decide/given-requests.ts';
import { readPermissions } from '../../../src/policy/decide/read-permissions.ts';
import type { Request } from '../../../src/policy/decide/read-request.ts';
import { indexMesh, type MeshIndex } from '../../../src/policy/match/mesh-index.ts';
import { findInbound, type Inbound, type Proxy, readProxy } from '../../../src/policy/match/read-proxy.ts';
import { formatKri } from '../../../src/resource/key.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject, Resource } from '../../../src/resource/resource.ts';

/** What is asked: documents as they were parsed. */
export interface DecideInput {
  /** MeshTrafficPermissions, and what their targetRefs lead to (MeshServices, routes, MeshGateways). */
  readonly policies: readonly unknown[];
  readonly dataplane: unknown;
  /** `{tags, mesh?}` or `{spiffeId}` or `{spiffeIds}`, each with `method` and `path` or without. */
  readonly clients: readonly unknown[];
  /** The inbound's name or port; needed if the dataplane has several. */
  readonly section?: string | undefined;
}

interface DecidedClient {
  readonly decision: Action;
  readonly shadow: Action;
  /** The policy's name as in `matchedInOrder`. null: no policy decided, so the client is denied. */
  readonly decidedBy: string | null;
  readonly decidedByKri: string | null;
  readonly reason: string;
}

export interface EntryDecisions {
  /** The names of the policies that are in force on the inbound, the most specific last. */
  readonly matchedInOrder: readonly string[];
  /** Those that would be, were they not marked with `kuma.io/effect: shadow`. */
  readonly matchedInShadow: readonly string[];
  readonly clients: readonly DecidedClient[];
  readonly warnings: readonly string[];
}

/**
 * Decides for each client whether it may enter, as one entry of test/reference/from-decisions.json asks it. Throws
 * `invalid`.
 */
export function decideEntry({ policies, dataplane, clients, section }: DecideInput): EntryDecisions {
  const resources = policies.map((value, index) => givenResource(value, `policies[${index}]`));
  const target = givenResource(dataplane, 'dataplane');
  if (target.key.type !== 'Dataplane') throw invalid([{ field: 'dataplane: type', reason: 'must be Dataplane' }]);
  const mesh = indexMesh([...resources, target].filter(({ key }) => key.mesh === target.key.mesh));
  const proxy = readProxy(target, mesh);
  return decideOn(resources, proxy, chooseInbound(proxy, section), mesh, clients.map(readClient));
}

function decideOn(
  policies: readonly Resource[],
  proxy: Proxy,
  inbound: Inbound,
  mesh: MeshIndex,
  requests: readonly Request[],
): EntryDecisions {
  const matches = permissionMatches(policies, proxy, inbound, mesh);
  const permissions = readPermissions(matches);
  const decided = requests.map((request) =>
    decideBy({ permissions, callers: undefined }, request, inbound.protocol, proxy.dataplane.key.mesh),
  );
  const names = (shadow: boolean) => matches.filter(({ policy }) => policy.shadow === shadow).map(({ policy }) => policy.resource.name);
  const nameOf = new Map(matches.map(({ policy: { resource } }) => [resource.key, resource.name]));
  return {
    matchedInOrder: names(false),
    matchedInShadow: names(true),
    clients: decided.map(({ decision, shadow, decidedBy, reason }) => ({
      decision,
      shadow,
      decidedBy: (decidedBy && nameOf.get(decidedBy)) ?? null,
      decidedByKri: decidedBy ? formatKri(decidedBy) : null,
      reason,
    })),
    warnings: decided[0]?.warnings ?? [],
  };
}

function chooseInbound(proxy: Proxy, section: string | undefined): Inbound {
  const { inbounds } = proxy;
  const found = section !== undefined ? findInbound(proxy, section) : inbounds.length === 1 ? inbounds[0] : undefined;
  if (found) return found;
  const sections = inbounds.map(({ name, port }) => name ?? port ?? '(no port)').join(', ');
  throw invalid([{ field: 'dataplane', reason: `say which inbound is meant: ${sections}` }], 'add --inbound NAME or --inbound PORT');
}

const FIELDS = ['tags', 'mesh', 'spiffeId', 'spiffeIds', 'method', 'path', 'decision', 'kumaSays'];

/** What the verdicts of a reference entry say is passed over. */
function readClient(value: unknown, index: number): Request {
  const refuse = (reason: string) => invalid([{ field: `clients[${index}]`, reason }]);
  if (!isObject(value)) throw refuse('must be an object');
  const unknown = Object.keys(value).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) throw refuse(`has an unknown field: ${JSON.stringify(unknown)}`);
  const ids = value.spiffeId === undefined ? value.spiffeIds : [value.spiffeId];
  if ((ids === undefined) === (value.tags === undefined)) throw refuse('must have either `tags`, or `spiffeId` or `spiffeIds`');
  const asked = { method: textIn(value, 'method', refuse), path: textIn(value, 'path', refuse) };
  if (ids !== undefined) {
    if (Array.isArray(ids) && ids.every((id) => typeof id === 'string')) return { ...asked, spiffeIds: ids };
    throw refuse('`spiffeId` must be a string');
  }
  if (!isTags(value.tags)) throw refuse('`tags` must be an object of strings');
  return { ...asked, tags: value.tags, mesh: textIn(value, 'mesh', refuse) };
}

function isTags(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((tag) => typeof tag === 'string');
}

function textIn(value: JsonObject, field: string, refuse: (reason: string) => Error): string | undefined {
  const text = value[field];
  if (text === undefined || typeof text === 'string') return text;
  throw refuse(`\`${field}\` must be a string`);
}
