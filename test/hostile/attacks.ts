import type { Body } from '../../src/kds/protocol.ts';
import type { Item } from '../../src/kds/item.ts';
import type { JsonObject } from '../../src/resource/resource.ts';
import type { Daemon } from '../harness/daemon.ts';
import type { Attacker } from './attacker.ts';
import { itemsOf, get, peerOf, type HostileScene } from './scene.ts';

/** What a compromised zone can send, as tables. */

const DEEP = 100_000;
const TO = [{ targetRef: { kind: 'Mesh' }, default: { connectionTimeout: '666s' } }];
const SPEC: JsonObject = { to: TO };
const nested = (open: string, close: string): string => open.repeat(DEEP) + close.repeat(DEEP);

type Texts = (west: Attacker) => readonly (string | Uint8Array)[];

/** The header with something in it that does not belong there. */
function header(west: Attacker, body: string, from: string = JSON.stringify(west.speaker)): string {
  return `{"v":1,"from":${from},"body":${body}}`;
}

function broken(west: Attacker, more: object): string {
  return header(west, JSON.stringify({ ...west.status(), head: { ...west.head(), ...more } }));
}

const NUMBERS = ['-1', '1.5', '9007199254740992', '9007199254740993', '1e300', '"7"', 'null', '[]', '-0.0001'];

export const TEXTS: Readonly<Record<string, Texts>> = {
  'nothing, noise and half a message': (west) => ['', '\n', '{', 'null', '[]', '7', header(west, '{}'), JSON.stringify(west.status())],
  'bytes that are not UTF-8': () => [
    Uint8Array.of(0xff, 0xfe, 0x80),
    new Uint8Array(1_000).fill(0x80),
    Uint8Array.of(0x7b, 0xc0, 0x80, 0x7d),
  ],
  'NUL bytes': () => [new Uint8Array(5_000)],
  'as much as the server takes': () => [
    new Uint8Array(1_000_001).fill(0x61),
    new Uint8Array(1_048_576).fill(0x7b),
    new Uint8Array(1_000_000).fill(0x0a),
  ],
  '100,000 levels': (west) => [
    nested('[', ']'),
    nested('{"a":', '}').replace(/:}/, ':1}'),
    header(west, nested('[', ']')),
    header(west, `{"kind":"status","ack":${nested('[', ']')}}`),
    header(west, `{"kind":"pull","id":"1","ask":${nested('[', ']')}}`),
  ],
  'an open end of levels': () => ['['.repeat(900_000), '{"a":'.repeat(150_000)],
  '__proto__ and constructor in the header': (west) => [
    header(west, '{"kind":"__proto__"}'),
    header(west, '{"kind":"constructor"}'),
    header(west, '{"__proto__":{"kind":"status","ack":{"refusals":""}}}'),
    `{"__proto__":${header(west, JSON.stringify(west.status()))}}`,
  ],
  'another version': (west) => [header(west, '{}').replace('"v":1', '"v":2'), header(west, '{}').replace('"v":1', '"v":-1')],
  'revisions and counts that are no numbers of a store': (west) =>
    ['revision', 'count', 'term', 'incarnation'].flatMap((field) =>
      NUMBERS.map((number) => broken(west, {}).replace(new RegExp(`("${field}"):\\d+`, 'g'), `$1:${number}`)),
    ),
  'digests that are none': (west) => ['', 'xyz', 'f'.repeat(65), '0x12', '-1'].map((digest) => broken(west, { digest })),
  'signatures without end': (west) => [broken(west, { signature: 'f'.repeat(10_000) })],
  'stores and processes that are none': (west) =>
    [{ store: '' }, { store: '../..' }, { instance: 'x' }, { incarnation: -1 }, { term: 0 }].map((more) =>
      header(west, JSON.stringify(west.status()), JSON.stringify({ ...west.speaker, ...more })),
    ),
  'versions and namespaces that steer a terminal or have no end': (west) =>
    ['\u001b[2J', 'a\nb', '\u202e', 'x'.repeat(900_000)].flatMap((text) =>
      [{ version: text }, { systemNamespace: text }, { environment: text }].map((more) =>
        header(
          west,
          JSON.stringify({ ...west.status(), about: { environment: 'kubernetes', systemNamespace: 'a', version: '', ...more } }),
        ),
      ),
    ),
  'keys that are too long or have too many parts': (west) =>
    [
      ['a'.repeat(254), '', '', '', ''],
      ['', '', '', '', '', ''],
      ['', '', '', ''],
      [1, 2, 3, 4, 5],
    ].map((after) => header(west, JSON.stringify({ kind: 'pull', id: '1', ask: { mode: 'scan', after } }))),
  'a million lines': (west) => [`${header(west, JSON.stringify({ kind: 'page', id: '1', revision: 1 }))}${'\n'.repeat(900_000)}`],
};

/** Where global must not answer, though it is told to. */
export const REPLIES = [
  'meridian.v1.zone.east.down',
  'meridian.v1.zone.east1.down',
  'meridian.v1.zone.east.up',
  'meridian.v1.global',
  '$SYS.REQ.SERVER.PING',
  '_INBOX.x',
  '$JS.API.INFO',
];

/** `count` small policies of west's. */
export function many(count: number): readonly Item[] {
  return Array.from({ length: count }, (_, n) => item({ name: `n${n}` }));
}

interface Claim {
  readonly items: () => readonly (Item | string)[];
  readonly seen: (global: Daemon) => Promise<boolean>;
}

function item(key: Partial<Item['key']>, more: Partial<Item> = {}): Item {
  return {
    key: { type: 'MeshTimeout', mesh: 'default', zone: 'west', namespace: 'app', name: 'mine', ...key },
    labels: {},
    spec: SPEC,
    ...more,
  };
}

/** Refused by global, which says so. */
function refused(...names: readonly string[]): Claim['seen'] {
  return async (global) => {
    const listed = JSON.stringify((await peerOf(global, 'west'))?.refused ?? []);
    return names.every((name) => listed.includes(JSON.stringify(name)));
  };
}

/** Taken, as a resource of west. */
function filed(...names: readonly string[]): Claim['seen'] {
  return async ({ url }) => {
    const { items } = await get(`${url}/meshes/default/meshtimeouts?size=1000`);
    const mine = itemsOf(items)
      .filter(({ labels }) => labels?.['kuma.io/zone'] === 'west')
      .map((one) => one.labels?.['kuma.io/display-name']);
    return names.every((name) => mine.includes(name as never));
  };
}

/** Each is taken as a resource of west, or refused. */
function known(...names: readonly string[]): Claim['seen'] {
  return async (global) => {
    const each = await Promise.all(names.map(async (name) => (await refused(name)(global)) || (await filed(name)(global))));
    return each.every(Boolean);
  };
}

async function failing(global: Daemon): Promise<boolean> {
  const peer = await peerOf(global, 'west');
  return peer !== undefined && (Number(peer.failures) > 0 || !peer.upToDate);
}

const raw = (text: string): string => text;
const KEY = '["MeshTimeout","default","west","app","mine"]';

export const CLAIMS: Readonly<Record<string, Claim>> = {
  'keys of east': {
    items: () => [
      item({ zone: 'east', namespace: '1a', name: 'slow' }),
      item({ zone: 'east', type: 'MeshService', namespace: 'app', name: 'backend' }),
    ],
    seen: filed('slow'),
  },
  'keys of global': {
    items: () => [item({ zone: '', namespace: '', name: 'of-global' }), item({ zone: '', name: 'of-global' })],
    seen: refused('of-global'),
  },
  'the mesh itself, changed': {
    items: () => [item({ type: 'Mesh', mesh: '', zone: '', namespace: '', name: 'default' }, { spec: {} })],
    seen: refused('default'),
  },
  'a Zone, disabling east': {
    items: () => [item({ type: 'Zone', mesh: '', zone: '', namespace: '', name: 'east' }, { spec: { enabled: false } })],
    seen: refused('east'),
  },
  "labels of another's": {
    items: () => [
      item(
        { name: 'forged' },
        {
          labels: {
            'kuma.io/zone': 'east',
            'kuma.io/origin': 'global',
            'kuma.io/policy-role': 'system',
            'k8s.kuma.io/namespace': 'kuma-system',
            'kuma.io/mesh': 'other',
            'kuma.io/display-name': 'slow',
          },
        },
      ),
    ],
    seen: filed('forged'),
  },
  'a name, a role and references that only global gives': {
    items: () => [
      item(
        { name: 'assigned' },
        {
          assigned: {
            name: 'of-global',
            role: 'system',
            references: [
              {
                path: ['to', 0],
                target: { type: 'MeshService', mesh: 'default', zone: 'east', namespace: 'app', name: 'backend' },
                name: 'x',
              },
            ],
          },
        },
      ),
    ],
    seen: filed('assigned'),
  },
  'names that are none': {
    items: () => ['..', 'A', 'a'.repeat(254), '-', 'a/b', '', 'slow\u0000'].map((name) => item({ name })),
    seen: async (global) => (await failing(global)) || (await refused('..')(global)),
  },
  'kinds that are none': {
    items: () => ['__proto__', 'constructor', 'toString', 'Nothing', ''].map((type) => item({ type, name: 'odd' })),
    seen: refused('__proto__', 'constructor', 'Nothing'),
  },
  'a mesh that is not there': {
    items: () => [item({ mesh: 'nowhere', name: 'lost' }), item({ mesh: '__proto__', name: 'odd' })],
    seen: refused('lost'),
  },
  'specs of 100,000 levels': {
    items: () => [
      raw(`{"key":${KEY},"labels":{},"spec":{"to":${nested('[', ']')}}}`),
      raw(`{"key":${KEY.replace('mine', 'target')},"labels":{},"spec":{"targetRef":${nested('[', ']')}}}`),
      raw(
        `{"key":${KEY.replace('MeshTimeout', 'MeshTrafficPermission').replace('mine', 'deep')},"labels":{},"spec":{"targetRef":${nested('[', ']')}}}`,
      ),
      raw(`{"key":${KEY.replace('mine', 'status')},"labels":{},"spec":{},"status":{"a":${nested('[', ']')}}}`),
    ],
    seen: refused('mine', 'target', 'deep', 'status'),
  },
  '__proto__ and constructor as names in specs and labels': {
    items: () => [
      raw(`{"key":${KEY},"labels":{"__proto__":"x","constructor":"y"},"spec":{"to":[]}}`),
      raw(
        `{"key":${KEY.replace('mine', 'proto')},"labels":{},"spec":{"__proto__":{"to":[]},"constructor":{"prototype":{"polluted":true}}}}`,
      ),
      raw(
        `{"key":${KEY.replace('mine', 'below')},"labels":{},"spec":{"to":[{"targetRef":{"kind":"Mesh"},"default":{"__proto__":{"polluted":true}}}]}}`,
      ),
    ],
    seen: refused('mine', 'proto', 'below'),
  },
  'half characters and control characters': {
    items: () => [
      raw(`{"key":${KEY},"labels":{"a":"\\ud800"},"spec":${JSON.stringify(SPEC)}}`),
      raw(
        `{"key":${KEY.replace('mine', 'half')},"labels":{},"spec":{"to":[{"targetRef":{"kind":"MeshService","name":"\\ud800\\u0000\\u001b[2J"},"default":{}}]}}`,
      ),
    ],
    seen: known('mine', 'half'),
  },
  'what is larger than can be carried': {
    items: () => [item({ name: 'large' }, { spec: { to: [], fill: 'x'.repeat(900_000) } })],
    seen: refused('large'),
  },
  'thousands of references': {
    items: () => [
      item(
        { name: 'many' },
        { spec: { to: Array.from({ length: 3_000 }, (_, i) => ({ targetRef: { kind: 'MeshService', name: `s${i}` }, default: {} })) } },
      ),
    ],
    seen: refused('many'),
  },
  'one key many times': {
    items: () => [item({ name: 'twice' }), item({ name: 'twice' }, { spec: { to: [] } }), item({ zone: 'east', name: 'twice' })],
    seen: failing,
  },
  'lines that are none': { items: () => ['', 'noise', '[]', '{"key":1}', '["a","b","c","d","e"]'], seen: failing },
};

/**
 * Of zone `east1`: Kuma calls the copies of these as those of east's `slow` and `web` in its namespace `1a`
 * (docs/design/names.md#collisions).
 */
export const SQUATTED: readonly Item[] = [
  item({ zone: 'east1', namespace: 'a', name: 'slow' }),
  item(
    { type: 'MeshService', zone: 'east1', namespace: 'a', name: 'web' },
    { spec: { selector: { dataplaneTags: { app: 'w' } }, ports: [{ port: 80 }] } },
  ),
];

interface Lie {
  readonly run: (west: Attacker, scene: HostileScene) => void | Promise<void>;
  readonly seen: (scene: HostileScene) => Promise<boolean>;
}

const fails = ({ global }: HostileScene): Promise<boolean> => failing(global);

async function stopped({ global }: HostileScene): Promise<boolean> {
  const { warnings } = await global.ready();
  return warnings.some((warning) => warning.startsWith('zone west: '));
}

function notice(code: Extract<Body, { kind: 'notice' }>['code'], instance?: string): Body {
  return { kind: 'notice', code, message: 'from west', ...(instance === undefined ? {} : { instance }) };
}

export const LIES: Readonly<Record<string, Lie>> = {
  'a digest that does not add up': {
    run: (west) => {
      west.hush();
      const head = west.head({ revision: west.ahead(), digest: 'ab', count: 5 });
      west.answer = ({ id }) => ({ body: { kind: 'page', id, revision: head.revision, end: head }, lines: [] });
      west.say(west.status({ head }));
    },
    seen: fails,
  },
  'a revision at the end of all numbers': {
    run: (west) => {
      west.hush();
      west.say(west.status({ head: west.head({ revision: Number.MAX_SAFE_INTEGER, digest: 'cd', count: Number.MAX_SAFE_INTEGER }) }));
    },
    seen: fails,
  },
  'pages that never end': {
    run: (west) => {
      let n = 0;
      west.answer = ({ id }) => ({
        body: { kind: 'page', id, revision: west.revision, next: ['MeshTimeout', 'default', 'west', 'a', `n${n++}`] },
        lines: [],
      });
      west.hush();
      west.say(west.status({ head: west.head({ revision: west.ahead(), count: 5 }) }));
    },
    seen: fails,
  },
  'changes that never end': {
    run: (west) => {
      west.answer = ({ id, ask }) =>
        ask.mode === 'scan'
          ? { body: { kind: 'page', id, revision: 9 }, lines: [] }
          : { body: { kind: 'page', id, revision: west.revision, next: 1 }, lines: [] };
      west.hush();
      west.say(west.status({ head: west.head({ revision: west.ahead(), count: 5 }) }));
    },
    seen: fails,
  },
  'an answer that asks for a scan for ever': {
    run: (west) => {
      west.answer = ({ id }) => ({ body: { kind: 'page', id, revision: west.revision, scan: true }, lines: [] });
      west.hush();
      west.say(west.status({ head: west.head({ revision: west.ahead(), count: 5 }) }));
    },
    seen: fails,
  },
  'no answer at all': {
    run: (west) => {
      west.answer = () => undefined;
      west.hush();
      west.say(west.status({ head: west.head({ revision: west.ahead(), count: 5 }) }));
    },
    seen: fails,
  },
  'a list of refusals without end': {
    run: (west) => {
      const line = (n: number) =>
        JSON.stringify({
          key: ['MeshTimeout', 'default', '', '', `n${n}`],
          hash: 'a'.repeat(64),
          reason: 'x'.repeat(9_000),
          since: '',
          inForce: 'none',
        });
      let n = 0;
      west.answer = ({ id }) => ({
        body: { kind: 'page', id, revision: 1, next: ['a', '', '', '', `${n}`] },
        lines: Array.from({ length: 50 }, () => line(n++)),
      });
      west.hush();
      west.say(west.status({ ack: { refusals: 'abc' } }));
    },
    seen: async ({ global }) => (await ledgerOf(global)).includes('unverified') || (await ledgerOf(global)).includes('on its way'),
  },
  'acks for what it never got': {
    run: (west, { global }) => ackOf(west, global),
    seen: async ({ global }) => (await ledgerOf(global)).includes('unverified'),
  },
  'another store': {
    run: (west) => {
      west.hush();
      west.say(west.status(), [], { store: 'abcdef' });
    },
    seen: stopped,
  },
  'that it was superseded, of nobody and of global': {
    run: (west, { global }) => {
      west.hush();
      void global;
      west.say(notice('superseded'));
      west.say(notice('superseded', west.heard.at(-1)?.from.instance));
    },
    seen: stopped,
  },
  'a notice that steers a terminal and has no end': {
    run: (west) => {
      west.hush();
      west.say({ kind: 'notice', code: 'diverged', message: `\u001b[2J\r\n\u202e${'x'.repeat(900_000)}` });
    },
    seen: async (scene) => (await stopped(scene)) && isText(scene.global.log()) && isText(await scene.global.ready()),
  },
  'a refusal whose reason steers a terminal': {
    run: (west, { global }) => {
      west.hush();
      const key = ['MeshTimeout', 'default', '', '', 'of-global'];
      const reason = '\u001b]0;owned\u0007\nno';
      const line = JSON.stringify({ key, hash: 'a'.repeat(64), reason, since: '\u001b', inForce: 'none' });
      west.answer = ({ id }) => ({ body: { kind: 'page', id, revision: 1 }, lines: [line] });
      return refusing(west, global);
    },
    seen: async ({ global }) => {
      const shown = await ledgerOf(global);
      return shown.includes(' ]0;owned  no') && isText(shown);
    },
  },
  'that it is disabled': { run: (west) => (west.hush(), west.say(notice('disabled'))), seen: stopped },
  'that global was restored': {
    run: (west) => (west.hush(), west.say(notice('diverged', west.heard.at(-1)?.from.instance))),
    seen: stopped,
  },
};

/** That it has everything, with a digest of its own, at a revision that global never had. */
async function ackOf(west: Attacker, { url }: Daemon): Promise<void> {
  const { store, term } = await get(`${url}/_sync`);
  const position = { store: `${store}`, term: Number(term), revision: Number.MAX_SAFE_INTEGER, digest: 'ef', count: 7 };
  west.hush();
  west.say(west.status({ ack: { position, refusals: '' } }));
}

/** That it has all that global has for it, and refused some of it. */
async function refusing(west: Attacker, { url }: Daemon): Promise<void> {
  const head = itemsOf((await get(`${url}/_sync`)).peers).find(({ peer }) => peer === 'west')?.head;
  const [term, revision, count] = [Number(head?.term), Number(head?.revision), Number(head?.count)];
  const position = { store: `${head?.store}`, term, revision, digest: `${head?.digest}`, count };
  west.say(west.status({ ack: { position, refusals: 'abc' } }));
}

/** Whether nothing in it, shown as it is, would do anything to a terminal. */
function isText(shown: unknown): boolean {
  return !/\\u(00[01789]|20[02]|206)/i.test(typeof shown === 'string' ? shown : JSON.stringify(shown));
}

async function ledgerOf({ url }: Daemon): Promise<string> {
  return JSON.stringify(await get(`${url}/_ledger?peer=west&name=of-global`));
}

/** What global is to take no notice of, for others as for west. */
export const VOID: Readonly<Record<string, (west: Attacker, scene: HostileScene) => void | Promise<void>>> = {
  'cursors with a forged signature': async (west, { global }) => {
    const { store, term, revision } = await get(`${global.url}/_sync`);
    const cursor = {
      store: `${store}`,
      term: Number(term),
      revision: Number(revision) + 1_000,
      digest: 'aa',
      count: 1,
      signature: 'ab'.repeat(32),
    };
    for (const ahead of [0, 1, 2 ** 40]) {
      const forged = { ...cursor, revision: cursor.revision + ahead };
      west.say({ kind: 'pull', id: '1', ask: { mode: 'delta', cursor: forged, after: 0 } });
      west.say({ kind: 'pull', id: '2', ask: { mode: 'scan', cursor: { ...forged, term: forged.term + 1 } } });
    }
  },
  'its own cursor with another revision, term and digest': (west) => {
    const own = west.heard.map(({ body }) => (body.kind === 'status' ? body.head : undefined)).findLast((head) => head !== undefined);
    if (!own) throw new Error('global said nothing to west');
    for (const more of [{ revision: own.revision + 99 }, { term: own.term + 1 }, { digest: 'ff' }, { count: own.count + 1 }])
      west.say({ kind: 'pull', id: '3', ask: { mode: 'delta', cursor: { ...own, ...more }, after: 0 } });
  },
  'pulls from revisions that global never had': (west) => {
    for (const revision of [0, 1, 2 ** 40, Number.MAX_SAFE_INTEGER]) {
      west.say({ kind: 'pull', id: '4', ask: { mode: 'tail', revision, after: 0 } });
      west.say({ kind: 'pull', id: '5', ask: { mode: 'tail', revision: 1, after: revision } });
    }
  },
  'answers that nobody asked for, and pushes': (west) => {
    west.say({ kind: 'page', id: 'dead', revision: 5, end: west.head({ revision: 5 }) }, ['["MeshTimeout","default","east","1a","slow"]']);
    west.say({ kind: 'push', from: { digest: '0', count: 0 }, end: west.head({ revision: west.revision, digest: 'aa' }) }, [
      '["Mesh","","","","default"]',
    ]);
  },
  'cursors of another store and term than it speaks from': (west) => {
    west.say(west.status({ head: west.head({ store: 'bead' }) }));
    west.say(west.status({ head: west.head({ term: 77 }) }));
  },
  'another environment and system namespace': (west) => {
    west.say(west.status({ about: { environment: 'universal', systemNamespace: '', version: '2' } }));
    west.say(west.status({ about: { environment: 'kubernetes', systemNamespace: 'app', version: '2' } }));
  },
  'notices that are meant for others': (west) => {
    for (const code of ['superseded', 'disabled', 'diverged', 'store-changed'] as const) west.say(notice(code, 'deadbeef'));
  },
  'what it said before, again': (west) => {
    const old = { ...west.speaker, incarnation: 1, instance: 'aaaa' };
    for (let i = 0; i < 50; i++) west.say(west.status({ head: west.head({ revision: 1, digest: 'aa', count: 1 }) }), [], old);
  },
};
