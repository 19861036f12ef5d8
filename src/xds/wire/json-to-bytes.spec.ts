import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type DescField,
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonValue as Json,
  ScalarType,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import fc, { type GeneratorValue } from 'fast-check';
import type { JsonObject, JsonValue } from '../../resource/resource.ts';
import { jsonToBytes } from './json-to-bytes.ts';
import { messageOf, registry } from './type-registry.ts';
import { typeUrl } from './resource-types.ts';

const TYPES = [
  'envoy.config.core.v3.TypedExtensionConfig',
  'envoy.config.cluster.v3.Cluster',
  'envoy.config.listener.v3.Listener',
  'envoy.config.route.v3.RouteConfiguration',
  'envoy.extensions.transport_sockets.tls.v3.Secret',
  'envoy.extensions.filters.http.rbac.v3.RBAC',
].map(messageOf);
/** What stands in an Any. */
const INNER = ['envoy.extensions.filters.http.rbac.v3.RBAC', 'envoy.config.rbac.v3.Action', 'google.protobuf.Duration'];

/** What the bytes say; undefined: the JSON is refused. */
function read(type: DescMessage, encode: () => Uint8Array): Json | undefined {
  let bytes: Uint8Array;
  try {
    bytes = encode();
  } catch {
    return undefined;
  }
  return toJson(type, fromBinary(type, bytes), { registry });
}

const plain = (type: DescMessage, json: JsonObject) => read(type, () => toBinary(type, fromJson(type, json as Json, { registry })));
const ours = (type: DescMessage, json: JsonObject) => read(type, () => jsonToBytes(type, json));

const one = <T>(g: GeneratorValue, values: readonly T[]): T => values[g(fc.nat, { max: values.length - 1 })] as T;
const chance = (g: GeneratorValue, outOf: number): boolean => g(fc.nat, { max: outOf - 1 }) === 0;
const text = (g: GeneratorValue): string => (chance(g, 2) ? g(fc.string) : one(g, ['', 'spiffe://td/a', '__proto__', 'ü', '\ud800']));

/** Any JSON of a message: mostly right. */
function jsonOf(type: DescMessage, depth: number, g: GeneratorValue): JsonValue {
  if (type.typeName === 'google.protobuf.Any') {
    const inner = one(g, INNER);
    const value = jsonOf(messageOf(inner), depth - 1, g);
    return { '@type': typeUrl(inner), ...(inner.startsWith('google.') ? { value } : (value as JsonObject)) };
  }
  if (type.typeName === 'google.protobuf.Duration') return '1.5s';
  if (type.typeName.endsWith('Value')) return one<JsonValue>(g, [1, true, 'x', null]);
  if (type.typeName.startsWith('google.protobuf.')) return {};
  if (depth <= 0 || type.fields.length === 0) return {};
  const fields = Array.from({ length: g(fc.nat, { max: 4 }) }, () => one(g, type.fields));
  return Object.fromEntries(fields.map((field) => [chance(g, 4) ? field.name : field.jsonName, valueOf(field, depth, g)]));
}

function valueOf(field: DescField, depth: number, g: GeneratorValue): JsonValue {
  const value = (): JsonValue => {
    if (field.message) return jsonOf(field.message, depth - 1, g);
    if (field.enum) return one<JsonValue>(g, [...field.enum.values.map(({ name }) => name), 0, 'NONE']);
    return scalarOf(field.scalar ?? ScalarType.STRING, g);
  };
  const few = Array.from({ length: g(fc.nat, { max: 3 }) });
  if (field.fieldKind === 'list') return few.map(value);
  if (field.fieldKind === 'map') return Object.fromEntries(few.map(() => [text(g), value()]));
  return value();
}

function scalarOf(type: ScalarType, g: GeneratorValue): JsonValue {
  if (type === ScalarType.STRING) return text(g);
  if (type === ScalarType.BOOL) return chance(g, 2);
  return one<JsonValue>(g, [0, 1, 127, 128, 65_535, 4_294_967_295, 4_294_967_296, -1, 1.5, '7']);
}

/** Puts another value somewhere. */
function spoil(json: JsonValue, g: GeneratorValue): JsonValue {
  if (typeof json !== 'object' || json === null || chance(g, 4)) {
    return one<JsonValue>(g, [null, 5, 'x', true, [], {}, [{}], { '@type': typeUrl(INNER[1] ?? '') }]);
  }
  const names = Object.keys(json);
  if (names.length === 0) return { unknown: 1 };
  const name = one(g, names);
  if (Array.isArray(json)) return json.map((value: JsonValue, index) => (String(index) === name ? spoil(value, g) : value));
  const object = json as JsonObject;
  return { ...object, [name]: spoil(object[name] ?? null, g) };
}

function spoilt(json: JsonObject, g: GeneratorValue): JsonObject {
  const names = Object.keys(json);
  const name = names.length === 0 ? 'unknown' : one(g, names);
  return { ...json, [name]: spoil(json[name] ?? null, g) };
}

describe('JSON to bytes', () => {
  it('says what protobuf-es says, and refuses what it refuses', () => {
    let said = 0;
    fc.assert(
      fc.property(fc.gen(), (g) => {
        const type = one(g, TYPES);
        const json = jsonOf(type, 6, g) as JsonObject;
        const given = chance(g, 5) ? spoilt(json, g) : json;
        const expected = plain(type, given);
        said += expected === undefined ? 0 : 1;
        assert.deepEqual(ours(type, given), expected);
      }),
      { numRuns: 2_000 },
    );
    assert.ok(said > 500, `only ${said} were right`);
  });

  it('of a map that changed, writes what stands in it now', () => {
    const action = (name: string): JsonObject => ({ '@type': typeUrl('envoy.config.rbac.v3.Action'), name });
    const type = messageOf('xds.type.matcher.v3.Matcher.MatcherTree');
    const entry = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'é', '__proto__x'), fc.option(fc.constantFrom('x', 'y', 'é')));
    fc.assert(
      fc.property(fc.array(fc.array(entry, { maxLength: 4 }), { maxLength: 8 }), (changes) => {
        const map: Record<string, JsonObject> = {};
        for (const change of changes) {
          for (const [key, name] of change) {
            if (name === null) delete map[key];
            else map[key] = { action: { name, typedConfig: action(name) } };
          }
          const both = { exactMatchMap: { map } };
          assert.deepEqual(ours(type, both), plain(type, both));
        }
      }),
    );
  });

  it('of one object in two places, writes both', () => {
    const type = messageOf('envoy.extensions.filters.http.rbac.v3.RBAC');
    const matcher = { onNoMatch: { action: { name: 'a', typedConfig: { '@type': typeUrl('envoy.config.rbac.v3.Action'), name: 'n' } } } };
    const twice = { matcher, shadowMatcher: matcher };
    assert.deepEqual(ours(type, twice), twice);
  });

  it('refuses what says two things of which there can be one', () => {
    const type = messageOf('envoy.config.core.v3.ConfigSource');
    for (const json of [{ ads: {}, self: {} }, { resourceApiVersion: 'V3', resource_api_version: 'V3' }, { '': 1 }, { constructor: {} }]) {
      assert.equal(ours(type, json), undefined, JSON.stringify(json));
      assert.equal(plain(type, json), undefined, JSON.stringify(json));
    }
  });
});
