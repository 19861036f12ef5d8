import { createHash } from 'node:crypto';
import { MeridianError } from '../../errors.ts';
import type { JsonObject } from '../../resource/resource.ts';
import { jsonToBytes } from './json-to-bytes.ts';
import { messageOf } from './type-registry.ts';
import { RESOURCE_TYPES, messageName, type Snapshot, TYPE_URLS } from './resource-types.ts';

/**
 * A resource as it is sent. The version is a hash of the bytes: the same content has the same version, after a restart
 * too.
 */
export interface EncodedResource {
  readonly name: string;
  readonly version: string;
  readonly value: Uint8Array;
}

/** By type URL, then by name. */
export type EncodedResources = ReadonlyMap<string, ReadonlyMap<string, EncodedResource>>;

/** What was encoded once. Who gives the same object again, because nothing changed, has it for nothing. */
const known = new WeakMap<JsonObject, EncodedResource>();

/** Throws `internal` when JSON is not of its message, or two resources of a kind have one name. */
export function encodeSnapshot(snapshot: Snapshot): EncodedResources {
  return new Map(RESOURCE_TYPES.map((kind) => [TYPE_URLS[kind], byName(TYPE_URLS[kind], snapshot[kind])]));
}

function byName(url: string, resources: readonly JsonObject[]): ReadonlyMap<string, EncodedResource> {
  const named = new Map<string, EncodedResource>();
  for (const json of resources) {
    const resource = encodeResource(url, json);
    if (named.has(resource.name)) throw new MeridianError('internal', `there are two ${messageName(url)} named ${resource.name}`);
    named.set(resource.name, resource);
  }
  return named;
}

/** In: a type URL and proto3 JSON of its message, with a `name`. Throws `internal` where it is not, saying where. */
export function encodeResource(url: string, json: JsonObject): EncodedResource {
  const before = known.get(json);
  if (before) return before;
  const { name } = json;
  if (typeof name !== 'string' || name === '') throw new MeridianError('internal', `a ${messageName(url)} without a name`);
  const value = bytesOf(messageName(url), name, json);
  const version = createHash('sha256').update(value).digest('hex').slice(0, 32);
  const resource = { name, version, value };
  known.set(json, resource);
  return resource;
}

function bytesOf(message: string, name: string, json: JsonObject): Uint8Array {
  const type = messageOf(message);
  try {
    return jsonToBytes(type, json);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new MeridianError('internal', `${message} ${name}: ${reason}`, { cause });
  }
}
