import { asArray, asObject, asText } from '../naming/json.ts';
import { formatKri, type Key } from '../resource/key.ts';
import { kindOf } from '../resource/kinds.ts';
import type { JsonObject, JsonValue, Resource } from '../resource/resource.ts';
import { check } from '../resource/schema/check-schema.ts';
import { schemaOf } from '../resource/documents/validate-draft.ts';
import { fromRules, inboundRules } from './inspect/inbound-rules.ts';
import type { MergedConf } from './match/merge-confs.ts';
import type { SelectingPolicy } from './match/select-policies.ts';

export const MESH_TLS = 'MeshTLS';

/**
 * Whether an inbound takes plain text beside mutual TLS. No permission is asked about plain text: it proves nobody's
 * identity.
 */
export interface Plaintext {
  readonly taken: boolean;
  /** What an operator should know. */
  readonly warnings: readonly string[];
}

/** Only mutual TLS, and nothing to say about it. */
export const STRICT: Plaintext = { taken: false, warnings: [] };

/**
 * What the MeshTLS policies that select an inbound come to, merged as any kind; where they say nothing, the enabled
 * mTLS backend of the Mesh does, as with Kuma. Only the word itself opens: another word is strict, and so is an inbound
 * where some rule, for some clients or requests or by a route, says another.
 *
 *   Mesh {mode: PERMISSIVE}, no MeshTLS                              ->  taken
 *   MeshTLS Mesh {mode: Permissive}, MeshTLS Dataplane {mode: Strict} ->  not taken: the more specific one wins
 *   MeshTLS {mode: permissive}                                       ->  not taken, with a warning
 */
export function plaintextOn(matches: readonly SelectingPolicy[], mesh: Resource | undefined): Plaintext {
  const all = saying(inboundRules(MESH_TLS, matches).filter((rule) => rule.matches.length === 0)).at(0);
  const stated = all ? { mode: all.conf.mode, origins: all.origins } : ofMesh(mesh);
  if (!stated || stated.mode === 'Strict') return STRICT;
  const by = stated.origins.map((key) => formatKri(key)).join(', ');
  if (stated.mode !== 'Permissive') return closed(`${JSON.stringify(stated.mode)} is no mode of TLS (${by})`);
  const other = partial(matches).find(({ conf }) => conf.mode !== 'Permissive');
  if (other)
    return closed(`${other.origins.map((key) => formatKri(key)).join(', ')} says another mode for a part of the requests than ${by}`);
  const unread = matches.find(({ policy }) => !policy.shadow && !isReadable(policy.resource.spec));
  if (unread) return closed(`${formatKri(unread.policy.resource.key)} can't be read, and may say another mode`);
  return { taken: true, warnings: [`plain text is taken too (${by}): whoever sends it gets in, whatever the permissions say`] };
}

/** One that was stored before its fields were checked may have meant `Strict`. */
const READABLE = schemaOf(kindOf(MESH_TLS));
const known = new WeakMap<JsonObject, boolean>();

function isReadable(spec: JsonObject): boolean {
  const readable = known.get(spec) ?? check(READABLE, spec, []).data !== undefined;
  known.set(spec, readable);
  return readable;
}

function closed(reason: string): Plaintext {
  return { taken: false, warnings: [`${reason}: plain text is not taken`] };
}

/** What is said of some requests only, and of each group of clients: that of all is among them. */
function partial(matches: readonly SelectingPolicy[]): MergedConf[] {
  const routed = matches.filter(({ via }) => via !== undefined).map(({ policy }) => ({ policy }));
  return saying([
    ...inboundRules(MESH_TLS, matches).filter((rule) => rule.matches.length > 0),
    ...fromRules(MESH_TLS, matches),
    ...inboundRules(MESH_TLS, routed),
    ...fromRules(MESH_TLS, routed),
  ]);
}

function saying<T extends MergedConf>(rules: readonly T[]): T[] {
  return rules.filter(({ conf }) => conf.mode !== undefined && conf.mode !== null);
}

/** The modes of the Mesh are written in capitals. Two backends of the enabled name must agree. */
function ofMesh(mesh: Resource | undefined): { mode: JsonValue; origins: readonly Key[] } | undefined {
  const mtls = asObject(mesh?.spec.mtls);
  const enabled = asText(mtls?.enabledBackend);
  const backends = asArray(mtls?.backends)
    .map(asObject)
    .filter((backend) => enabled !== undefined && backend?.name === enabled);
  if (!mesh || backends.length === 0 || !backends.every((backend) => backend?.mode === 'PERMISSIVE')) return undefined;
  return { mode: 'Permissive', origins: [mesh.key] };
}
