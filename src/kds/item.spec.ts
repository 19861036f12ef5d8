import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { JsonObject } from '../resource/resource.js';
import { decodeLine, encodeDelete, encodeItem, type Item } from './item.js';

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
  fc.assert(fc.property(item, (sent) => assert.deepEqual(decodeLine(encodeItem(sent)), { key: sent.key, item: sent })));
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
  fc.assert(fc.property(key, (gone) => assert.deepEqual(decodeLine(encodeDelete(gone)), { key: gone, item: undefined })));
});

test('no text makes it throw', () => {
  const near = item.chain((sent) => {
    const wire = encodeItem(sent);
    return fc.tuple(fc.nat(wire.length), fc.string({ maxLength: 3 })).map(([at, noise]) => wire.slice(0, at) + noise + wire.slice(at + 1));
  });
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json(), near), (text) => void decodeLine(text)));
});

test('lines that are none', () => {
  const good = { key: ['MeshTimeout', 'default', 'east', 'app', 'slow'], labels: {}, spec: {} };
  const assignedTo = { name: 'slow-1', references: [] };
  const bad: [title: string, value: unknown][] = [
    ['no key', { ...good, key: undefined }],
    ['four parts', { ...good, key: good.key.slice(1) }],
    ['a part that is no text', { ...good, key: [1, ...good.key.slice(1)] }],
    ['a part that is too long', { ...good, key: ['x'.repeat(254), ...good.key.slice(1)] }],
    ['a part that separates', { ...good, key: ['a\u0000b', ...good.key.slice(1)] }],
    ['a part that the database would change', { ...good, key: ['\ud800', ...good.key.slice(1)] }],
    ['a delete with a line break', ['a\nb', ...good.key.slice(1)]],
    ['no labels', { ...good, labels: undefined }],
    ['a label that is no text', { ...good, labels: { a: 1 } }],
    ['a spec that is a list', { ...good, spec: [] }],
    ['a status that is a text', { ...good, status: 'fine' }],
    ['a name that is no text', { ...good, assigned: { ...assignedTo, name: 1 } }],
    ['references that are none', { ...good, assigned: { ...assignedTo, references: [{}] } }],
    ['a path with a fraction', { ...good, assigned: { ...assignedTo, references: [{ path: [0.5], target: good.key, name: 'a' }] } }],
    ['an environment that is none', { ...good, assigned: { ...assignedTo, environment: 'moon' } }],
    ['null', null],
  ];
  for (const [title, value] of bad) assert.equal(decodeLine(JSON.stringify(value)), undefined, title);
  assert.ok(decodeLine(JSON.stringify({ ...good, assigned: assignedTo })));
});
