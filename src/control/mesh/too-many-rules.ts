import { type Permission, readPermissions } from '../../policy/decide/read-permissions.ts';
import { sectionOf } from '../../policy/inspect/proxy-layout.ts';
import type { CallerVerdicts } from '../../policy/callers/caller-verdicts.ts';
import type { Policy } from '../../policy/match/policy.ts';
import { type Inbound, type Proxy, readProxy } from '../../policy/match/read-proxy.ts';
import { type SelectingPolicy, matchInbound } from '../../policy/match/select-policies.ts';
import { whyTooMany } from '../../policy/rbac/request-regions.ts';
import { type Key, keyId } from '../../resource/key.ts';
import { readable } from '../../resource/readable-text.ts';
import type { Parts } from '../../resource/store/parts.ts';
import { namedType } from '../../resource/schema/reference-kinds.ts';
import { lettingNobodyIn } from './listen-address.ts';
import { callersAt } from './mesh-access.ts';
import { matchInSteps } from './match-in-steps.ts';
import type { MeshView } from './mesh-view.ts';

/** How many inbounds are counted for one write. */
const COUNTED = 5;
/** About how many times it is asked for one write whether a permission selects an inbound. */
const ASKED = 100_000;

const ROUTE = 'MeshHTTPRoute';

/**
 * Why an inbound is shut by what selects it: its rules are more than an inbound takes
 * (docs/enforcement.md#how-many-rules-fit). Nothing is compiled for it.
 */
export function whyCrowded(inbound: Inbound, matches: readonly SelectingPolicy[], callers: CallerVerdicts | undefined): string | undefined {
  return whyTooMany(readPermissions(matches), inbound, callers?.size ?? 0);
}

/** The same of all inbounds of a proxy, for whoever reads what there is. */
export function crowdedNotes(view: MeshView, proxy: Proxy): string[] {
  return proxy.inbounds.flatMap((inbound) => {
    const reason = whyCrowded(inbound, matchInbound(view.permissions, proxy, inbound, view.index), callersAt(view, proxy, inbound));
    return reason === undefined ? [] : [lettingNobodyIn(sectionOf(inbound), reason)];
  });
}

/** The warnings of each key, with what `crowdedBy` found for it in some meshes. */
export function withCrowded(
  warnings: readonly (readonly string[])[],
  keys: readonly Key[],
  crowded: readonly CrowdedNotes[],
): (readonly string[])[] {
  return keys.map((key, index) => [...(warnings[index] ?? []), ...crowded.flatMap((notes) => notes.get(keyId(key)) ?? [])]);
}

/** Notes for the authors of resources, by `keyId`. */
export type CrowdedNotes = ReadonlyMap<string, readonly string[]>;

/**
 * The inbounds that are shut by their rules and that permissions, or routes that permissions name, have part in: for
 * their authors, in steps. Only of the first inbounds that they select: more are not worth the time of a write.
 */
export function* crowdedBy(view: MeshView, keys: readonly Key[]): Parts<CrowdedNotes> {
  const ids = new Set(keys.map(keyId));
  const concerned = view.permissions.filter(mayConcern(ids, keys));
  const notes = new Map<string, string[]>();
  let [counted, asked] = [0, 0];
  for (const { proxy, inbound } of servedInbounds(view, concerned)) {
    if (counted === COUNTED || asked > ASKED) break;
    asked += concerned.length;
    const matches = yield* matchInSteps(concerned, proxy, inbound, view.index);
    const parts = matches.flatMap(partsOf).filter((id) => ids.has(id));
    if (parts.length === 0) continue;
    [counted, asked] = [counted + 1, asked + view.permissions.length];
    const permissions = yield* readInSteps(yield* matchInSteps(view.permissions, proxy, inbound, view.index));
    const reason = whyTooMany(permissions, inbound, callersAt(view, proxy, inbound)?.size ?? 0);
    yield;
    if (reason === undefined) continue;
    const note = `inbound ${readable(sectionOf(inbound))} of ${readable(proxy.dataplane.key.name)} is shut: ${reason}`;
    for (const id of new Set(parts)) notes.set(id, [...(notes.get(id) ?? []), note]);
  }
  return notes;
}

/** As `readPermissions`. */
function* readInSteps(matches: readonly SelectingPolicy[]): Parts<Permission[]> {
  const permissions: Permission[] = [];
  for (const match of matches) {
    for (const permission of readPermissions([match])) permissions.push(permission);
    yield;
  }
  return permissions;
}

function* servedInbounds(view: MeshView, concerned: readonly Policy[]): Generator<{ proxy: Proxy; inbound: Inbound }> {
  if (concerned.length === 0) return;
  for (const dataplane of view.dataplanes) {
    const proxy = readProxy(dataplane, view.index);
    for (const inbound of proxy.inbounds) yield { proxy, inbound };
  }
}

/** Which permissions are among the keys, or may name a route that is. */
function mayConcern(ids: ReadonlySet<string>, keys: readonly Key[]): (policy: Policy) => boolean {
  const routes = keys.some(({ type }) => type === ROUTE);
  return ({ explicit, resource }) => (routes && explicit && namedType(explicit.kind) === ROUTE) || ids.has(keyId(resource.key));
}

function partsOf({ policy, via = [] }: SelectingPolicy): string[] {
  return [policy.resource.key, ...via.map(({ route }) => route)].map(keyId);
}
