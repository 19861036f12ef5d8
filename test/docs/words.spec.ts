import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { CommanderError, type Command } from 'commander';
import { lintText } from '../../cmd/ctl/offline/lint-document.ts';
import { createProgram } from '../../cmd/ctl/program.ts';
import { AT_GLOBAL, COMMON, ZONE } from '../../src/config/settings.ts';
import { type Fence, type MarkdownPage, readPages, ROOT } from './markdown.ts';

/**
 * What the pages name is there: commands and their options, resources that are valid, variables, scripts, paths of the
 * API.
 */

const pages = readPages();

/** Each `check` gives what is wrong with a place; the failures name the page and line. */
function failures(check: (fence: Fence, page: MarkdownPage) => readonly string[]): string[] {
  return pages.flatMap((page) => page.fences.flatMap((fence) => check(fence, page).map((why) => `${page.path}:${fence.line}: ${why}`)));
}

/**
 * The commands in a block of shell: lines that go on are one, pipes and lists are several, comments and documents
 * within are left out.
 */
function commandsIn({ language, text }: Pick<Fence, 'language' | 'text'>): string[] {
  if (!['sh', 'bash', 'console', 'indented'].includes(language)) return [];
  const plain = text
    .replace(/\\\n\s*/g, ' ')
    .replace(/<<-?'?(\w+)'?([^\n]*)\n[^]*?\n\1(?=\n)/g, '$2')
    .replace(/(^|\s)#[^\n]*/g, '$1');
  return plain.split(/\n|&&|\|\||[|;&](?!\d)/).map((line) => line.trim().replace(/^\$ /, ''));
}

/**
 * The words of a command, redirections and variables before it left out: `A=b meridianctl get "a b" > file` is
 * `meridianctl, get, a b`.
 */
function wordsOf(command: string): string[] {
  const words = command.match(/(?:"[^"]*"|'[^']*'|[^\s'"])+/g) ?? [];
  const end = words.findIndex((word) => /^\d?[<>]/.test(word));
  const kept = end < 0 ? words : words.slice(0, end);
  const start = kept.findIndex((word) => !/^\w+=/.test(word) && word !== 'export' && word !== 'env');
  return start < 0 ? [] : kept.slice(start).map((word) => word.replace(/["']/g, ''));
}

/** What is wrong with a command line of meridianctl, '' for nothing. Nothing is done. */
function usageProblem(args: readonly string[]): string {
  const program = createProgram();
  quiet(program);
  try {
    program.parse(['node', 'meridianctl', ...args]);
    return '';
  } catch (thrown) {
    if (thrown instanceof CommanderError) return /^commander\.(help|version)/.test(thrown.code) ? '' : thrown.message;
    throw thrown;
  }
}

function quiet(command: Command): void {
  command.exitOverride().configureOutput({ outputError: () => {}, writeErr: () => {}, writeOut: () => {} });
  if (command.commands.length === 0) command.action(() => {});
  command.commands.forEach(quiet);
}

/** `node dist/cmd/ctl/main.js` is meridianctl in a checkout that is not linked. */
function programOf([first = '', second = '', ...rest]: readonly string[]): readonly [program: string, args: readonly string[]] {
  const built = first === 'node' ? /^dist\/cmd\/(ctl|global|zone)\/main\.js$/.exec(second)?.[1] : undefined;
  if (built !== undefined) return [built === 'ctl' ? 'meridianctl' : `meridian-${built}`, rest];
  return [first, [second, ...rest].filter((word) => word !== '')];
}

function commandProblems(fence: Fence): string[] {
  return commandsIn(fence).flatMap((command) => {
    const [program, args] = programOf(wordsOf(command));
    if (program === 'meridianctl') return [usageProblem(args)].filter(Boolean).map((why) => `${command}: ${why}`);
    if (program === 'meridian-global' || program === 'meridian-zone') {
      return args.length === 0 || (args.length === 2 && args[0] === '-c') ? [] : [`${command}: only -c FILE may stand there`];
    }
    if (/^meridian-(?!nats|accounts)/.test(program)) return [`${command}: there is no such program`];
    return [];
  });
}

/** YAML that is no resource (a configuration) is looked at elsewhere. A shortened one is none. */
function yamlProblems({ language, text }: Fence): string[] {
  if (language !== 'yaml' || !/^(type|apiVersion):/m.test(text)) return [];
  return lintText(text, {}).flatMap(({ linted: { name, problems } }) =>
    problems.map(({ field, reason }) => `${name ?? ''}: ${field}: ${reason}`),
  );
}

const OWN_VARIABLES = [
  'MERIDIAN_URL',
  'MERIDIAN_TOKEN',
  'MERIDIAN_TOKEN_FILE',
  'MERIDIAN_CA_CERT_FILE',
  'MERIDIAN_CONFIG',
  'MERIDIAN_BUILT',
];

function variableProblems({ path, text }: MarkdownPage): string[] {
  const known = new Set([...Object.values({ ...COMMON, ...AT_GLOBAL, ...ZONE }).map(({ variable }) => variable), ...OWN_VARIABLES]);
  const named = [...text.matchAll(/\bMERIDIAN_[A-Z0-9_]*[A-Z0-9]\b(?![_*])/g)].map(([name]) => name);
  return named.filter((name) => !known.has(name)).map((name) => `${path}: there is no ${name}`);
}

const SCRIPTS = Object.keys((JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }).scripts);

function scriptProblems({ path, text }: MarkdownPage): string[] {
  const named = [...text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name);
  return named.filter((name) => !SCRIPTS.includes(name)).map((name) => `${path}: there is no npm script ${name}`);
}

const PATHS = Object.keys((JSON.parse(readFileSync(join(ROOT, 'docs/reference/openapi.json'), 'utf8')) as { paths: object }).paths).map(
  (path) => new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]*\}/g, '[^/]+')}/?$`),
);
const DIAGNOSTICS = ['/ready', '/healthy', '/metrics'];

function pathProblems(fence: Fence): string[] {
  const asked = commandsIn(fence).filter((command) => /\bcurl\b/.test(command));
  const urls = asked.flatMap((command) => [...command.matchAll(/https?:\/\/[^\s/'"]+(\/[^\s'"?]*)/g)].map(([, path = '/']) => path));
  const known = (path: string) => DIAGNOSTICS.includes(path) || PATHS.some((pattern) => pattern.test(path));
  return urls.filter((path) => !known(path)).map((path) => `the API has no ${path}`);
}

describe('what the pages name is there', () => {
  it('commands and their options', () => {
    const all = pages.flatMap(({ fences }) => fences.flatMap(commandsIn)).filter((command) => /\bmeridianctl /.test(command));
    assert.ok(all.length > 50, `${all.length} command lines are found`);
    assert.deepEqual(failures(commandProblems), []);
  });

  it('resources', () => assert.deepEqual(failures(yamlProblems), []));
  it('variables', () => assert.deepEqual(pages.flatMap(variableProblems), []));
  it('npm scripts', () => assert.deepEqual(pages.flatMap(scriptProblems), []));
  it('paths of the API', () => assert.deepEqual(failures(pathProblems), []));
});

describe('what is not there is found', () => {
  const block = (text: string, language = 'sh'): Fence => ({ language, text: `${text}\n`, line: 1, isRun: true });
  const page = (text: string): MarkdownPage => ({ path: 'x.md', text, fences: [] });
  const wrong: [what: string, problems: readonly string[]][] = [
    ['an unknown command', commandProblems(block('meridianctl aply -f x'))],
    ['an unknown option', commandProblems(block('A=b meridianctl apply -f x \\\n  --prun > out'))],
    ['a missing argument', commandProblems(block('true | meridianctl zone disable'))],
    ['an argument too many', commandProblems(block('node dist/cmd/ctl/main.js ledger MeshTimeout a b'))],
    ['a wrong value', commandProblems(block('meridianctl lint -f x --environment moon'))],
    ['an option of a daemon', commandProblems(block('meridian-zone --zone east'))],
    ['a daemon', commandProblems(block('meridian-gateway'))],
    ['a resource', yamlProblems(block('type: MeshTimeout\nname: a\nmesh: default\nspec: { too: [] }', 'yaml'))],
    ['a variable', variableProblems(page('set `MERIDIAN_ZONE`'))],
    ['an npm script', scriptProblems(page('npm run buidl'))],
    ['a path', pathProblems(block('curl -s http://127.0.0.1:5681/meshes/default/timeouts/a/b'))],
  ];
  for (const [what, problems] of wrong) it(what, () => assert.equal(problems.length, 1, problems.join()));
});
