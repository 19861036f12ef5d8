import { type DescField, type DescMessage, fromJson, type JsonValue as Json, ScalarType, toBinary } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import type { JsonObject, JsonValue } from '../../resource/resource.ts';
import { ProtobufWriter } from './protobuf-writer.ts';
import { registry } from './type-registry.ts';
import { messageName } from './resource-types.ts';

/** protobuf's way to have fields that can't be told from absent ones. */
const IMPLICIT = FeatureSet_FieldPresence.IMPLICIT;

/** The values of maps that were encoded: many maps hold the same. */
const known = new WeakMap<JsonObject, { readonly type: DescMessage; readonly bytes: Uint8Array }>();

/**
 * The bytes of a message that is given as proto3 JSON: another order of fields than protobuf-es has, the same message.
 * What is common in Envoy's configuration is written straight away, many times as fast as by way of a message; whatever
 * else there is goes that way, field by field, which also finds what is wrong. Throws what protobuf-es throws for JSON
 * that is not of the message.
 *
 * A value of a map that is an object which was encoded before is not encoded again: such objects must not change.
 *
 *   {map: {a: A, b: B}}, then {map: {a: A, b: C}}   ->  A is known, C is encoded
 */
export function jsonToBytes(type: DescMessage, json: JsonObject): Uint8Array {
  out.clear();
  const writer = new JsonWriter();
  writer.message(type, json);
  return out.since(0);
}

/** One for all: it stays as large as the largest message was. */
const out = new ProtobufWriter();

class JsonWriter {
  /** What stands in more than one place, outside of maps: where its bytes are. */
  readonly #here = new Map<JsonObject, { readonly type: DescMessage; readonly from: number; readonly to: number }>();
  #inMap = false;

  message(type: DescMessage, json: JsonObject): void {
    if (type.typeName === 'google.protobuf.Any') return this.#any(type, json);
    if (type.typeName.startsWith('google.protobuf.') || choosesTwice(type, json)) return out.bytes(plain(type, json));
    for (const name in json) if (Object.hasOwn(json, name)) this.#member(type, json, name);
  }

  #any(type: DescMessage, json: JsonObject): void {
    const { '@type': url, ...fields } = json;
    const inner = typeof url === 'string' && isAscii(url) ? registry.getMessage(messageName(url)) : undefined;
    if (typeof url !== 'string' || !inner || inner.typeName.startsWith('google.protobuf.')) return out.bytes(plain(type, json));
    const from = out.size;
    this.message(inner, fields);
    if (out.size > from) out.close(2, from);
    this.#text(1, url);
  }

  #member(type: DescMessage, json: JsonObject, name: string): void {
    const field = fieldsOf(type).get(name);
    const value = json[name];
    if (!field || value === undefined || !this.#field(field, value)) out.bytes(plain(type, { [name]: value }));
  }

  /** Out: whether it was written. */
  #field(field: DescField, value: JsonValue): boolean {
    switch (field.fieldKind) {
      case 'message':
        return isObject(value) && !field.delimitedEncoding && this.#sub(field.number, field.message, value);
      case 'scalar':
        return isUnsaid(field, value) || this.#scalar(field.number, field.scalar, value);
      case 'enum':
        return this.#enum(field, value);
      case 'list':
        return (
          field.listKind === 'message' && isObjects(value) && !field.delimitedEncoding && this.#list(field.number, field.message, value)
        );
      case 'map':
        return (
          field.mapKind === 'message' && field.mapKey === ScalarType.STRING && isObject(value) && this.#map(field, field.message, value)
        );
    }
  }

  #sub(number: number, type: DescMessage, json: JsonObject): true {
    const from = out.size;
    const before = this.#inMap ? undefined : this.#here.get(json);
    if (before?.type === type) out.again(before.from, before.to);
    else this.message(type, json);
    if (!this.#inMap) this.#here.set(json, { type, from, to: out.size });
    out.close(number, from);
    return true;
  }

  #list(number: number, type: DescMessage, values: readonly JsonObject[]): true {
    for (const value of values.toReversed()) this.#sub(number, type, value);
    return true;
  }

  #map(field: DescField, type: DescMessage, map: JsonObject): true {
    for (const name of Object.keys(map)) this.#entry(field, type, name, map[name]);
    return true;
  }

  #entry(field: DescField, type: DescMessage, name: string, value: JsonValue | undefined): void {
    if (!isObject(value) || !isAscii(name)) return out.bytes(plain(field.parent, { [field.jsonName]: { [name]: value } }));
    const from = out.size;
    this.#value(type, value);
    this.#text(1, name);
    out.close(field.number, from);
  }

  #value(type: DescMessage, value: JsonObject): void {
    const before = known.get(value);
    if (before?.type === type) return out.bytes(before.bytes);
    const [outer, from] = [this.#inMap, out.size];
    this.#inMap = true;
    this.#sub(2, type, value);
    this.#inMap = outer;
    known.set(value, { type, bytes: out.since(from) });
  }

  #text(number: number, text: string): void {
    const from = out.size;
    out.ascii(text);
    out.close(number, from);
  }

  #scalar(number: number, type: ScalarType, value: JsonValue): boolean {
    if (type === ScalarType.STRING && typeof value === 'string' && isAscii(value)) this.#text(number, value);
    else if (type === ScalarType.BOOL && typeof value === 'boolean') this.#varint(number, Number(value));
    else if (type === ScalarType.UINT32 && isUint32(value)) this.#varint(number, value);
    else return false;
    return true;
  }

  #enum({ number, presence, enum: type }: DescField & { fieldKind: 'enum' }, value: JsonValue): boolean {
    const found = type.typeName.startsWith('google.protobuf.') ? undefined : type.values.find(({ name }) => name === value);
    if (!found || found.number < 0) return false;
    if (found.number !== 0 || presence !== IMPLICIT) this.#varint(number, found.number);
    return true;
  }

  #varint(number: number, value: number): void {
    out.varint(value);
    out.varintTag(number);
  }
}

/** By way of a message. */
function plain(type: DescMessage, json: JsonObject): Uint8Array {
  return toBinary(type, fromJson(type, json as Json, { registry }));
}

const fields = new WeakMap<DescMessage, ReadonlyMap<string, DescField>>();

/** By both of the names that JSON may have. */
function fieldsOf(type: DescMessage): ReadonlyMap<string, DescField> {
  const before = fields.get(type);
  if (before) return before;
  const named = new Map(type.fields.flatMap((field) => [[field.name, field] as const, [field.jsonName, field] as const]));
  fields.set(type, named);
  return named;
}

/**
 * Whether JSON says two things of which there can be one: a member of a oneof beside another, or a field by both of its
 * names.
 */
function choosesTwice(type: DescMessage, json: JsonObject): boolean {
  const names = Object.keys(json);
  if (names.length < 2) return false;
  const chosen = names.flatMap((name) => {
    const field = fieldsOf(type).get(name);
    return field ? [field.oneof ?? field] : [];
  });
  return new Set(chosen).size < chosen.length;
}

/** Whether a value is what its field has when nothing is written. */
function isUnsaid({ presence, scalar }: DescField & { fieldKind: 'scalar' }, value: JsonValue): boolean {
  if (presence !== IMPLICIT) return false;
  return scalar === ScalarType.STRING
    ? value === ''
    : scalar === ScalarType.BOOL
      ? value === false
      : scalar === ScalarType.UINT32 && value === 0;
}

/** Others are left to protobuf-es, which refuses what is no Unicode. */
function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

function isUint32(value: JsonValue): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isObjects(value: JsonValue): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every((one: JsonValue) => isObject(one));
}
