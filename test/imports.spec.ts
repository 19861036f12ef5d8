import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importCycles } from './architecture/cycles.ts';
import { installed, refusing } from './architecture/engines.ts';
import { importsGoOneWay, storeThroughHarness } from './architecture/layers.ts';
import { pureGlobals, pureImports } from './architecture/purity.ts';
import { fullFolders, goneLongFiles, noBarrels, noUtils, nothingLeft, shortFiles, silencedWithReason } from './architecture/shape.ts';
import { namesWithContent, repeatedTypeNames } from './architecture/type-names.ts';
import { narrowComments } from './architecture/width.ts';
import { type ArchitectureRule, source, sourcesIn } from './architecture/source.ts';

const product = sourcesIn('src', 'cmd');
const everything = [...product, ...sourcesIn('test', 'scripts', 'bench', 'demo')];

/** Each rule with code that it must refuse and code that it must let pass: `[path, text]`. */
interface RuleProof {
  readonly rule: ArchitectureRule;
  readonly on: readonly ReturnType<typeof source>[];
  readonly refuses: readonly (readonly [string, string])[];
  readonly passes: readonly (readonly [string, string])[];
}

const PROOFS: Record<string, RuleProof> = {
  'imports go one way': {
    rule: importsGoOneWay,
    on: product,
    refuses: [
      ['src/resource/a.ts', "import { x } from '../naming/x.ts';"],
      ['src/resource/schema/a.ts', "import { x } from '../../naming/x.ts';"],
      ['src/naming/a.ts', "import type { X } from '../policy/x.ts';"],
      ['src/policy/a.ts', "export { x } from '../kds/x.ts';"],
      ['src/kds/a.ts', "const x = await import('../store/x.ts');"],
      ['src/kds/a.ts', "type X = import('../control/x.ts').X;"],
      ['src/control/a.ts', ''],
      ['src/control/put/a.ts', "import '../../store/x.ts';"],
      ['src/control/plane/a.ts', "import { x } from '../peers/x.ts';"],
      ['src/control/peers/a.ts', "import { x } from '../put/x.ts';"],
      ['src/control/put/a.ts', "import { x } from '../receive/x.ts';"],
      ['src/control/receive/a.ts', "import { x } from '../write/x.ts';"],
      ['src/control/write/a.ts', "import { x } from '../sync/x.ts';"],
      ['src/control/sync/a.ts', "import { x } from '../operate/x.ts';"],
      ['src/control/mesh/a.ts', "import type { X } from '../enforce/x.ts';"],
      ['src/control/enforce/a.ts', "import { x } from '../impact/x.ts';"],
      ['src/kds/a.ts', "import type { Report } from '../report.ts';"],
      ['src/store/a.ts', "import { x } from '../nats/x.ts';"],
      ['src/nats/a.ts', "import { x } from '../control/x.ts';"],
      ['src/xds/a.ts', "import x = require('../api/x.ts');"],
      ['src/api/a.ts', "import { x } from '../store/x.ts';"],
      ['src/config/a.ts', "import { x } from '../runtime/x.ts';"],
      ['src/config/a.ts', "import { x } from '../resource/key.ts';"],
      ['src/runtime/a.ts', "import { x } from '../resource/x.ts';"],
      ['src/errors.ts', "import { x } from './resource/x.ts';"],
      ['src/store/a.ts', "import { x } from '../../cmd/x.ts';"],
      ['src/store/a.ts', "import { x } from '../../test/x.ts';"],
      ['src/other/a.ts', ''],
      ['src/controls/a.ts', ''],
      ['src/store/a.ts', "import { x } from '../resources/x.ts';"],
    ],
    passes: [
      ['src/resource/a.ts', "import { x } from '../errors.ts';\nimport { y } from './y.ts';"],
      ['src/resource/schema/a.ts', "import { x } from '../key.ts';\nimport { y } from '../../errors.ts';"],
      ['src/policy/a.ts', "import { x } from '../naming/x.ts';"],
      ['src/api/a.ts', "import { x } from '../control/enforce/x.ts';"],
      ['src/control/sync/a.ts', "import { x } from '../peers/x.ts';\nimport type { Report } from '../../report.ts';"],
      ['src/control/operate/a.ts', "import { x } from '../sync/x.ts';"],
      ['src/runtime/a.ts', "import { x } from '../config/x.ts';"],
      ['src/config/a.ts', "import { x } from '../resource/ip-address.ts';"],
      ['src/kds/a.spec.ts', "import { x } from '../store/x.ts';"],
      ['cmd/zone/a.ts', "import { x } from '../../src/store/x.ts';\nimport { y } from '../../src/nats/y.ts';"],
    ],
  },
  'tests and benches reach the store through one harness': {
    rule: storeThroughHarness,
    on: everything,
    refuses: [
      ['src/kds/a.spec.ts', "import { openStore } from '../store/open-store.ts';"],
      ['cmd/zone/a.spec.ts', "import type { SqliteStore } from '../../src/store/open-store.ts';"],
      ['test/harness/a.ts', "import { migrate } from '../../src/store/migrations.ts';"],
      ['bench/a.ts', "const { openStore } = await import('../src/store/open-store.ts');"],
    ],
    passes: [
      ['test/harness/test-store.ts', "import { openStore } from '../../src/store/open-store.ts';"],
      ['src/store/a.spec.ts', "import { openStore } from './open-store.ts';"],
      ['src/kds/a.spec.ts', "import type { Store } from '../resource/store/store.ts';"],
      ['cmd/parts.ts', "import { openStore } from '../src/store/open-store.ts';"],
    ],
  },
  'the pure parts import nothing that does anything': {
    rule: pureImports,
    on: product,
    refuses: [
      ...[
        'node:fs',
        'fs',
        'node:fs/promises',
        'node:net',
        'node:http',
        'node:timers',
        'node:timers/promises',
        'node:child_process',
        'node:os',
      ].map((module) => ['src/kds/a.ts', `import { x } from '${module}';`] as const),
      ['src/policy/a.ts', "import { randomUUID } from 'node:crypto';"],
      ['src/policy/a.ts', "import { randomBytes as createHash } from 'node:crypto';"],
      ['src/policy/a.ts', "import * as crypto from 'node:crypto';"],
      ['src/policy/a.ts', "import crypto, { createHash } from 'node:crypto';"],
      ['src/policy/a.ts', "export * from 'node:crypto';"],
      ['src/naming/a.ts', "import { pino } from 'pino';"],
      ['src/resource/a.ts', "const fs = await import('node:fs');"],
    ],
    passes: [
      ['src/policy/a.ts', "import { createHash, type KeyObject } from 'node:crypto';"],
      ['src/resource/a.ts', "import { z } from 'zod';\n// import 'node:fs'"],
      ['src/store/a.ts', "import { x } from 'node:fs';"],
      ['src/kds/a.spec.ts', "import { x } from 'node:fs';"],
    ],
  },
  'the pure parts use no clock, chance or surroundings': {
    rule: pureGlobals,
    on: product,
    refuses: [
      'Date.now()',
      'new Date()',
      'let at: Date',
      'Math.random()',
      "Math['random']()",
      'const { random } = Math',
      'setTimeout(f, 1)',
      'setInterval(f, 1)',
      'setImmediate(f)',
      'process.env.X',
      'const { env } = process',
      'performance.now()',
      'crypto.randomUUID()',
      'globalThis.Date',
      'global.process.env',
      'const x = { process }',
      'AbortSignal.timeout(1)',
      'function f(process: string) {}',
      'fetch("x")',
      'console.log(1)',
    ].map((text) => ['src/kds/a.ts', text] as const),
    passes: [
      ['src/kds/a.ts', "// Date.now()\nconst text = 'process.env and Math.random()';"],
      ['src/kds/a.ts', 'Math.max(1, 2); event.process; const y = { process: 1, Date: 2 };'],
      ['src/kds/a.ts', 'interface X { process: string; performance(): void }\nconst { process: own } = x;'],
      ['src/kds/a.ts', "const global = place('global'); send(global.name);"],
      ['src/store/a.ts', 'Date.now()'],
      ['src/kds/a.spec.ts', 'Date.now()'],
    ],
  },
  'files are short': {
    rule: shortFiles,
    on: product,
    refuses: [['src/kds/a.ts', 'x;\n'.repeat(301)]],
    passes: [['src/kds/a.ts', 'x;\n'.repeat(300)]],
  },
  'there are no barrels': {
    rule: noBarrels,
    on: everything,
    refuses: [
      ['src/kds/index.ts', 'export const x = 1;'],
      ['src/kds/a.ts', "export { x } from './x.ts';\nexport * from './y.ts';"],
    ],
    passes: [['src/kds/a.ts', "export { x } from './x.ts';\nexport const y = 1;"]],
  },
  'there are no utils': {
    rule: noUtils,
    on: everything,
    refuses: [
      ['src/utils/a.ts', ''],
      ['src/kds/util.ts', ''],
      ['src/kds/string-utils.ts', ''],
    ],
    passes: [['src/kds/utility-rate.ts', '']],
  },
  'nothing is left for later': {
    rule: nothingLeft,
    on: everything,
    refuses: [
      ['src/kds/a.ts', `// ${'TO'}${'DO'}: later`],
      ['scripts/a.mjs', `/* ${'FIX'}${'ME'} */`],
    ],
    passes: [['src/kds/a.ts', '// to do so, then fix me']],
  },
  'types are named by what they are of': {
    rule: namesWithContent,
    on: everything,
    refuses: [
      ['src/kds/a.ts', 'interface Known {}'],
      ['src/kds/a.ts', 'export type Placed = string;'],
      ['test/a.ts', 'class Sent {}'],
      ['test/a.ts', 'function f() { type Written = string; }'],
    ],
    passes: [['src/kds/a.ts', 'interface KnownPeer {}\ntype Feed = string;\nconst Known = 1;']],
  },
  'comments wrap at column 120': {
    rule: narrowComments,
    on: everything,
    refuses: [
      ['src/kds/a.ts', `// ${'word '.repeat(24)}`],
      ['src/kds/a.ts', `/** ${'word '.repeat(24)}*/`],
      ['src/kds/a.ts', `/**\n   * ${'word '.repeat(24)}\n */`],
    ],
    passes: [
      ['src/kds/a.ts', `// ${'word '.repeat(23)}`],
      ['src/kds/a.ts', `const text = '${'word '.repeat(24)}';`],
      ['src/kds/a.ts', `// https://${'x'.repeat(120)}`],
    ],
  },
  'what is silenced says why': {
    rule: silencedWithReason,
    on: everything,
    refuses: [
      ['src/kds/a.ts', `// oxlint-${'disable'}-next-line no-console`],
      ['src/kds/a.ts', `// @ts-${'ignore'} -- because`],
      ['src/kds/a.ts', `// @ts-${'expect'}-error`],
    ],
    passes: [
      ['src/kds/a.ts', `// oxlint-${'disable'}-next-line no-console -- the tool's output`],
      ['test/a.ts', `// @ts-${'expect'}-error the field is refused by the compiler`],
    ],
  },
};

for (const [name, { rule, on, refuses, passes }] of Object.entries(PROOFS)) {
  describe(name, () => {
    it('holds', () => {
      assert.ok(on.length > 50, 'the sources were found');
      assert.deepEqual(on.flatMap(rule), []);
    });
    it('can fail', () => {
      for (const [path, text] of refuses) assert.notDeepEqual(rule(source(path, text)), [], `${path}: ${text.slice(0, 80)}`);
      for (const [path, text] of passes) assert.deepEqual(rule(source(path, text)), [], `${path}: ${text.slice(0, 80)}`);
    });
  });
}

/** The oldest that fits (`engines` of package.json), and one of each that is tried. */
const OURS = ['22.18.0', '22.23.0', '24.3.0', '24.21.0', '26.0.0'];

it('lists no long file that is gone', () => {
  assert.deepEqual(goneLongFiles(product), []);
});

describe('imports make no circle', () => {
  const files = (...texts: readonly string[]) => texts.map((text, index) => source(`src/kds/${'abc'[index]}.ts`, text));
  it('holds', () => {
    assert.deepEqual(importCycles(product), []);
  });
  it('can fail', () => {
    const [toA, toB, toC] = ['a', 'b', 'c'].map((name) => `import type { X } from './${name}.ts';`) as [string, string, string];
    assert.deepEqual(importCycles(files(toB, toA)), ['src/kds/a.ts -> src/kds/b.ts -> src/kds/a.ts']);
    assert.deepEqual(importCycles(files('', toC, toB)), ['src/kds/b.ts -> src/kds/c.ts -> src/kds/b.ts']);
    assert.equal(importCycles(files(toB, `type X = import('./c.ts').X;`, `export { x } from './a.ts';`)).length, 1);
    assert.equal(importCycles(files(toA)).length, 1, 'of itself');
    assert.deepEqual(importCycles(files(toB + toC, toC, '')), [], 'two ways to one file');
  });
});

describe('a type name stands in one file', () => {
  it('holds', () => {
    assert.deepEqual(repeatedTypeNames([...product, ...sourcesIn('test', 'bench', 'demo')]), []);
  });
  it('can fail', () => {
    const declared = (...texts: readonly string[]) => repeatedTypeNames(texts.map((text, index) => source(`src/kds/${index}.ts`, text)));
    for (const other of ['type X = string;', 'class X {}', 'export enum X {}', 'function f() { interface X {} }'])
      assert.equal(declared('export interface X {}', other).length, 1, other);
    assert.deepEqual(declared('interface X {}\ninterface X {}', "import type { X } from './0.ts';", 'const X = 1;'), []);
    const added = "declare module 'fastify' { interface FastifyRequest {} }";
    assert.deepEqual(declared(added, added), []);
  });
});

describe('no folder holds more files than one can see', () => {
  const files = (count: number, ending: string) => Array.from({ length: count }, (_, index) => source(`src/kds/f${index}${ending}`, ''));
  it('holds', () => {
    assert.deepEqual(fullFolders(product), []);
  });
  it('can fail', () => {
    assert.equal(fullFolders(files(16, '.ts')).length, 1);
    assert.deepEqual(fullFolders([...files(15, '.ts'), ...files(15, '.spec.ts')]), []);
    assert.deepEqual(fullFolders([...files(15, '.ts'), source('src/kds/wire/a.ts', '')]), []);
  });
});

describe('every package runs on our Node', () => {
  it('holds, for production and for development, from the oldest on', () => {
    const production = installed('production');
    assert.ok(production.length > 20, 'the packages were found');
    assert.deepEqual(refusing([...production, ...installed('development')], OURS), []);
  });
  it('can fail', () => {
    const asking = (node: string) => refusing([{ path: 'node_modules/a', version: '1.0.0', node }], OURS);
    for (const node of ['>=25', '^20 || ^24', '18.x', '>=22.19', 'rubbish']) assert.equal(asking(node).length, 1, node);
    for (const node of ['', '>=18', '^22.0.0 || >=24', '>=22', '*']) assert.deepEqual(asking(node), [], node);
  });
});
