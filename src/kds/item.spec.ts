import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { JsonObject } from '../resource/resource.ts';
import { decodeLine, encodeDelete, encodeItem, type Item } from './item.ts';

const name = fc.stringMatching(/^[a-z0-9.-]{0,20}$/);
const key = fc.record({ type: name, mesh: name, zone: name, namespace: name, name }, { noNullPrototype: true });
// What JSON can't tell apart (-0), and what no label or spec may be called (__proto__), stay out.
const body = fc.dictionary(name, fc.jsonValue(), { noNullPrototype: true }).map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);
const labels = fc.dictionary(name, fc.string(), { noNullPrototype: true });
const reference = fc.record({ path: fc.array(fc.oneof(name, fc.nat(99)), { maxLength: 5 }), target: key, name }, { noNullPrototype: true });
const assigned = fc.record(
  {
    name,
    role: fc.constantFrom('system', 'producer', undefined),
    environment: fc.constantFrom('kubernetes' as const, 'universal' as const, undefined),
    references: fc.array(reference, { maxLength: 3 }),
  },
  { noNullPrototype: true },
);
const item: fc.Arbitrary<Item> = fc
  .record(
    { key, labels, spec: body, status: fc.option(body, { nil: undefined }), assigned: fc.option(assigned, { nil: undefined }) },
    { noNullPrototype: true },
  )
  .map(({ status, assigned: given, ...rest }) => ({ ...rest, ...(status ? { status } : {}), ...(given ? { assigned: given } : {}) }));

test('what is encoded is decoded', () => {
  fc.assert(fc.property(item, (sent) => assert.deepEqual(decodeLine(encodeItem(sent)), { key: sent.key, gone: false, item: sent })));
});

test('the same item gives the same bytes, on one line', () => {
  fc.assert(
    fc.property(item, (sent) => {
      const turned = { ...sent, labels: Object.fromEntries(Object.entries(sent.labels).reverse()) };
      assert.equal(encodeItem(turned), encodeItem(sent));
      assert.ok(!encodeItem(sent).includes('\n'));
      assert.equal(encodeItem(decodeLine(encodeItem(sent))?.item ?? sent), encodeItem(sent));
    }),
  );
});

test('a delete is the key alone', () => {
  fc.assert(fc.property(key, (gone) => assert.deepEqual(decodeLine(encodeDelete(gone)), { key: gone, gone: true, item: undefined })));
});

test('no text makes it throw', () => {
  const near = item.chain((sent) => {
    const wire = encodeItem(sent);
    return fc.tuple(fc.nat(wire.length), fc.string({ maxLength: 3 })).map(([at, noise]) => wire.slice(0, at) + noise + wire.slice(at + 1));
  });
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json(), near), (text) => void decodeLine(text)));
});

const GOOD = { key: ['MeshTimeout', 'default', 'east', 'app', 'slow'], labels: {}, spec: {} };

test('lines that are none', () => {
  const parts = GOOD.key.slice(1);
  const bad: [title: string, value: unknown][] = [
    ['no key', { ...GOOD, key: undefined }],
    ['four parts', { ...GOOD, key: parts }],
    ['a part that is no text', { ...GOOD, key: [1, ...parts] }],
    ['a part that is too long', { ...GOOD, key: ['x'.repeat(254), ...parts] }],
    ['a part that separates', { ...GOOD, key: ['a\u0000b', ...parts] }],
    ['a part that the database would change', { ...GOOD, key: ['\ud800', ...parts] }],
    ['a delete with a line break', ['a\nb', ...parts]],
    ['null', null],
  ];
  for (const [title, value] of bad) assert.equal(decodeLine(JSON.stringify(value)), undefined, title);
});

test('of an item that can not be read the key can', () => {
  const assignedTo = { name: 'slow-1', references: [] };
  const bad: [title: string, value: unknown][] = [
    ['no labels', { ...GOOD, labels: undefined }],
    ['a label that is no text', { ...GOOD, labels: { a: 1 } }],
    ['a spec that is a list', { ...GOOD, spec: [] }],
    ['a status that is a text', { ...GOOD, status: 'fine' }],
    ['a name that is no text', { ...GOOD, assigned: { ...assignedTo, name: 1 } }],
    ['references that are none', { ...GOOD, assigned: { ...assignedTo, references: [{}] } }],
    ['a path with a fraction', { ...GOOD, assigned: { ...assignedTo, references: [{ path: [0.5], target: GOOD.key, name: 'a' }] } }],
    ['an environment that is none', { ...GOOD, assigned: { ...assignedTo, environment: 'moon' } }],
  ];
  const key = { type: 'MeshTimeout', mesh: 'default', zone: 'east', namespace: 'app', name: 'slow' };
  for (const [title, value] of bad) assert.deepEqual(decodeLine(JSON.stringify(value)), { key, gone: false, item: undefined }, title);
  assert.ok(decodeLine(JSON.stringify({ ...GOOD, assigned: assignedTo }))?.item);
});
