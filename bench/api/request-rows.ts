import { policy } from '../system.ts';

/** A request that is made to cost much. */
export interface CostlyRequest {
  readonly title: string;
  readonly path: string;
  readonly type: 'application/json' | 'application/yaml';
  readonly body: () => string;
}

const KB = 1024;
const MB = 1024 * KB;
/** Under what an apply may have, so that its size alone is not what is refused. */
const MUCH = 15.9 * MB;

const repeated = (unit: string, bytes: number): string => unit.repeat(Math.floor(bytes / unit.length));
const listed = <T>(count: number, each: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => each(index));

function anchors(count: number, aliases: number): string {
  return listed(count, (index) => `a${index}: &a${index} [${listed(aliases, () => `*a${Math.max(0, index - 1)}`).join()}]`)
    .join('\n')
    .replace(/\[.*\]/, '[1]');
}

const yaml = (title: string, body: () => string): CostlyRequest => ({
  title: `YAML: ${title}`,
  path: '/apply?dryRun=true',
  type: 'application/yaml',
  body,
});
const json = (title: string, body: () => string): CostlyRequest => ({
  title: `JSON: ${title}`,
  path: '/apply?dryRun=true',
  type: 'application/json',
  body,
});

const permissions = (count: number, spec: (index: number) => object): string =>
  JSON.stringify(listed(count, (index) => ({ type: 'MeshTrafficPermission', mesh: 'default', name: `p${index}`, spec: spec(index) })));
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];
const exact = (value: string) => ({ spiffeId: { type: 'Exact', value } });

/** The issue's own, then neighbours of each. */
export const ROWS: readonly CostlyRequest[] = [
  yaml('[1,1,...]', () => `a: [${repeated('1,', MUCH)}1]`),
  yaml('400 anchors of 50 aliases', () => anchors(400, 50)),
  json('80,000 permissions', () =>
    permissions(80_000, (index) => ({ targetRef: { kind: 'Mesh' }, default: { allow: [exact(`spiffe://td/ns/app-${index}`)] } })),
  ),
  json('500,000 keys', () => JSON.stringify(Object.fromEntries(listed(500_000, (index) => [`key-${index}`, 1])))),
  yaml('[1,1,...], 1 MB', () => `a: [${repeated('1,', 0.9 * MB)}1]`),
  yaml('flow maps', () => repeated('{a: {b: c}}\n---\n', MUCH)),
  yaml('many documents', () => repeated('a: 1\n---\n', MUCH)),
  yaml('empty documents', () => repeated('---\n', MUCH)),
  yaml('a long scalar', () => `a: "${repeated('x', MUCH)}"`),
  yaml('many escapes', () => `a: "${repeated('\\u0041', MUCH)}"`),
  yaml('a block scalar of empty lines', () => `a: |\n${repeated(' \n', MUCH)}`),
  yaml('comments', () => repeated('# c\n', MUCH)),
  yaml('spaces', () => `a:${repeated(' ', MUCH)}1`),
  yaml('newlines', () => `a: 1${repeated('\n', MUCH)}`),
  yaml('deep', () => repeated('[', MUCH)),
  yaml('deep maps', () => repeated('? ', MUCH)),
  yaml('one alias, 20,000 times', () => `a: &a [${repeated('1,', 10 * KB)}1]\nb: [${repeated('*a,', 60 * KB)}*a]`),
  yaml('merge keys', () => `a: &a {${listed(5_000, (index) => `k${index}: 1`).join()}}\nb:\n${repeated('- {<<: *a}\n', 60 * KB)}`),
  yaml('tags', () => `a: [${repeated('!!str 1,', MUCH)}1]`),
  yaml('unknown tags', () => `a: [${repeated('!x 1,', MUCH)}1]`),
  yaml('directives', () => `${repeated('%TAG !a! b\n', MUCH)}---\na: 1`),
  yaml('broken', () => repeated('a: }\n', MUCH)),
  yaml('a long number', () => `a: ${repeated('1', MUCH)}`),
  json('[1,1,...]', () => `[${repeated('1,', MUCH)}1]`),
  json('[[],[],...]', () => `[${repeated('[],', MUCH)}[]]`),
  json('deep lists', () => repeated('[', MUCH)),
  json('deep lists, closed', () => repeated('[', MUCH / 2) + repeated(']', MUCH / 2)),
  json('one key, again and again', () => `{${repeated('"a":1,', MUCH)}"a":1}`),
  json('a huge number', () => repeated('1', MUCH)),
  json('a string with escapes', () => `{"a":"${repeated('\\u0041', MUCH)}"}`),
  json('100,000 documents of no kind', () => `[${repeated('{"type":"X"},', 100_000 * 13)}{}]`),
  json('a permission of 16,000 matchers', () =>
    permissions(1, () => ({ default: { allow: listed(8_000, (index) => exact(`spiffe://td/${index}`)) } })),
  ),
  json('3,000 permissions in 1 MB', () =>
    permissions(3_000, (index) => ({ targetRef: { kind: 'Mesh' }, default: { allow: [exact(`spiffe://td/ns/app-${index}`)] } })),
  ),
  json('permissions with many paths', () =>
    permissions(20, (index) => ({
      default: {
        deny: listed(100, (n) => ({ path: { type: 'Prefix', value: `/p/${index}/${n}` }, method: METHODS[n % METHODS.length] })),
        allow: [{ spiffeId: { type: 'Prefix', value: 'spiffe://td' } }],
      },
    })),
  ),
  json('2,000 permissions of a bench', () => JSON.stringify(listed(2_000, (index) => policy(index, 'v1')))),
];
