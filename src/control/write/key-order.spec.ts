import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeItem } from '../../kds/item.ts';
import { GLOBAL_PEER } from '../../resource/audience.ts';
import { parseDocument } from '../../resource/documents/parse-documents.ts';
import { type Draft, GLOBAL, type JsonObject, type JsonValue, type Place } from '../../resource/resource.ts';
import {
  carry,
  EAST,
  forAll,
  itemOf,
  keyOf,
  MESH,
  newGlobal,
  newPlane,
  newZone,
  PLAIN,
  service,
  timeout,
  WEST,
} from '../../../test/harness/control-planes.ts';
import { tryDocuments } from '../../../test/harness/dry-run.ts';
import { deleteResource, writeDrafts } from '../../../test/harness/write-drafts.ts';

/** The same value with the keys of every object the other way round; lists stay as they are. */
function turned<T extends JsonValue>(value: T): T {
  if (Array.isArray(value)) return value.map((inner: JsonValue) => turned(inner)) as unknown as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, turned(inner as JsonValue)] as const);
  return Object.fromEntries(entries.reverse()) as T;
}

function turnedDraft(draft: Draft): Draft {
  return { ...draft, labels: turned(draft.labels), spec: turned(draft.spec), status: draft.status && turned(draft.status) };
}

const LATER = '2026-01-02T00:00:00Z';

const MTP: Draft = {
  ...forAll('mtp'),
  type: 'MeshTrafficPermission',
  spec: {
    default: {
      allow: [{ spiffeID: { type: 'Prefix', value: 'spiffe://td/a' } }],
      deny: [{ spiffeID: { value: 'spiffe://td/b', type: 'Exact' } }],
    },
  },
};
const DATAPLANE: Draft = {
  ...forAll('web'),
  type: 'Dataplane',
  spec: { networking: { address: '10.0.0.1', inbound: [{ port: 80, tags: { 'kuma.io/service': 'web', version: 'v1' } }] } },
};
const ODD = JSON.parse('{"a": {"toString": {"x": 1, "y": 2}, "valueOf": 3, "b": -0.0}}') as JsonObject;

describe('the order of keys', () => {
  const cases: [title: string, place: Place, draft: Draft][] = [
    ['a policy of global', GLOBAL, forAll('a', { labels: { team: 'x', app: 'y' } })],
    ['a policy with a reference', GLOBAL, { ...timeout('a', { namespace: undefined }), labels: { b: '1', a: '2' } }],
    ['a policy with names that objects have', GLOBAL, forAll('a', { spec: { to: [{ targetRef: { kind: 'Mesh' }, default: ODD }] } })],
    ['permissions', GLOBAL, MTP],
    [
      'a Mesh',
      GLOBAL,
      { ...MESH, spec: { mtls: { enabledBackend: 'b', backends: [{ name: 'b', type: 'builtin' }] }, meshServices: { mode: 'Exclusive' } } },
    ],
    [
      'a Zone',
      GLOBAL,
      { type: 'Zone', mesh: '', name: 'east', namespace: undefined, labels: {}, spec: { enabled: true, attributes: { a: '1', b: '2' } } },
    ],
    ['a producer of a zone', EAST, timeout('a')],
    ['a policy of a universal zone', PLAIN, forAll('a')],
    [
      'a service with a status',
      EAST,
      {
        ...service('s'),
        spec: { selector: { dataplaneTags: { a: 'b', c: 'd' } }, ports: [{ port: 80, targetPort: 81 }] },
        status: { vips: [{ ip: '10.0.0.1' }], tls: { status: 'Ready' } },
      },
    ],
    ['a Dataplane', PLAIN, DATAPLANE],
  ];
  for (const [title, place, draft] of cases) {
    it(`is no change of ${title}`, () => {
      const plane = newPlane(place);
      if (place.zone === '') writeDrafts(plane, [MESH]);
      else carry(newGlobal(place), plane);
      writeDrafts(plane, [draft]);
      const key = keyOf(place === EAST ? draft : { ...draft, namespace: undefined }, place.zone);
      const before = [plane.store.head().revision, plane.store.get(key)] as const;
      const later = { ...plane, now: () => LATER };
      const other = turnedDraft(draft);
      assert.notEqual(JSON.stringify([draft.labels, draft.spec]), JSON.stringify([other.labels, other.spec]));
      const outcomes = [tryDocuments(later, [{ draft: other, problems: [] }]), writeDrafts(later, [other])].map(
        ([written]) => written?.outcome,
      );
      assert.deepEqual(outcomes, ['unchanged', 'unchanged']);
      const after = [plane.store.head().revision, plane.store.get(key)] as const;
      // As text: what is stored is what the user wrote first, in that order.
      assert.equal(JSON.stringify(after), JSON.stringify(before));
      assert.ok(before[1]);
    });
  }

  it('is no change of anything, and everything else is one', () => {
    const global = newGlobal();
    let count = 0;
    fc.assert(
      fc.property(
        fc.object({
          maxDepth: 4,
          key: fc.string().filter((key) => key !== '<<' && !(key in {})),
          values: [fc.string(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)],
        }),
        (value) => {
          const conf = JSON.parse(JSON.stringify(value)) as JsonObject;
          const name = `p${count++}`;
          const policy = (inner: JsonValue) => forAll(name, { spec: { to: [{ targetRef: { kind: 'Mesh' }, default: { conf: inner } }] } });
          writeDrafts(global, [policy([conf, 1, 2])]);
          assert.equal(writeDrafts(global, [turnedDraft(policy([conf, 1, 2]))])[0]?.outcome, 'unchanged');
          assert.equal(writeDrafts(global, [policy([conf, 2, 1])])[0]?.outcome, 'changed');
          assert.equal(writeDrafts(global, [policy([{ ...conf, more: [] }, 2, 1])])[0]?.outcome, 'changed');
        },
      ),
      { numRuns: 200 },
    );
  });

  it('of a set counts as little, and what it leaves out still goes', () => {
    const global = newGlobal();
    const [a, b] = [forAll('a', { labels: { z: '1', a: '2' } }), forAll('b')];
    const written = (drafts: readonly Draft[]) =>
      tryDocuments(
        global,
        drafts.map((draft) => ({ draft, problems: [] })),
        { name: 'shop', prune: true },
      ).map(({ outcome }) => outcome);
    assert.deepEqual(written([a]), ['created']);
    writeDrafts(global, [
      { ...a, labels: { ...a.labels, 'meridian.io/set': 'shop' } },
      { ...b, labels: { 'meridian.io/set': 'shop' } },
    ]);
    assert.deepEqual(written([turnedDraft(a)]), ['unchanged', 'deleted']);
  });

  it('is no change of a copy either: its modification time and what is sent on stay', () => {
    const global = newGlobal(EAST, WEST);
    const east = newZone(EAST, global);
    const draft = timeout('slow', { labels: { x: '1' } });
    writeDrafts(east, [draft]);
    carry(east, global);
    const key = keyOf(draft, 'east');
    const before = JSON.stringify([global.store.get(key), global.store.feed.summary('west')]);
    deleteResource(east, key);
    writeDrafts(east, [turnedDraft(draft)]);
    const [sent] = east.store.feed.changes(GLOBAL_PEER, 0, 0, 1e9).changes;
    assert.notEqual(sent?.wire, encodeItem(itemOf(draft, 'east')));
    assert.equal(carry(east, { ...global, now: () => LATER }, 'delta'), 'applied');
    assert.equal(JSON.stringify([global.store.get(key), global.store.feed.summary('west')]), before);
    assert.equal(global.store.mirror.position('east')?.revision, east.store.head().revision);
  });

  it('of numbers written otherwise is no change: they are one number', () => {
    const draft = (number: string) => {
      const { draft: parsed } = parseDocument(
        JSON.parse(`{"type": "MeshTimeout", "name": "n", "spec": {"to": [{"targetRef": {"kind": "Mesh"}, "default": {"n": ${number}}}]}}`),
      );
      return parsed ?? assert.fail();
    };
    const global = newGlobal();
    writeDrafts(global, [draft('1')]);
    for (const [number, outcome] of [
      ['1.0', 'unchanged'],
      ['1e0', 'unchanged'],
      ['1.5', 'changed'],
      ['"1.5"', 'changed'],
      ['0', 'changed'],
      ['-0', 'unchanged'],
    ] as const) {
      assert.equal(writeDrafts(global, [draft(number)])[0]?.outcome, outcome, number);
    }
  });
});
