import { posix } from 'node:path';
import ts from 'typescript';
import { type ArchitectureRule, type Source } from './source.ts';

const LINES = 300;

/** Files that may be longer, each with the reason. Only tables of data: code is split. */
const LONG: Readonly<Record<string, string>> = {};

/** No file of src and cmd is longer than 300 lines. */
export const shortFiles: ArchitectureRule = ({ path, text }) => {
  const lines = text.split('\n').length - 1;
  const isListed = Object.hasOwn(LONG, path);
  if (lines > LINES && !isListed) return [`${path}:${LINES}: ${lines} lines, more than ${LINES}: split it by what it is about`];
  if (lines <= LINES && isListed) return [`${path}:1: no longer long: take it off the list of long files`];
  return [];
};

/** The long files that are listed but gone. */
export function goneLongFiles(sources: readonly Source[]): string[] {
  return Object.keys(LONG).filter((path) => !sources.some((source) => source.path === path));
}

const FILES = 15;

/** The folders of src and cmd with more than fifteen files. Specs, and what a tool writes, are not counted. */
export function fullFolders(sources: readonly Source[]): string[] {
  const files = new Map<string, number>();
  for (const { path } of sources) {
    if (/\.spec\.ts$|^src\/xds\/gen\//.test(path)) continue;
    files.set(posix.dirname(path), (files.get(posix.dirname(path)) ?? 0) + 1);
  }
  return [...files].flatMap(([folder, count]) =>
    count > FILES ? [`${folder}: ${count} files, more than ${FILES}: give those that belong together a folder`] : [],
  );
}

/** No file is there only to pass on what others export. */
export const noBarrels: ArchitectureRule = ({ path, tree }) => {
  if (/(^|\/)index\.[cm]?[jt]sx?$/.test(path)) return [`${path}:1: no index files: import from the file that has it`];
  const passesOn = (statement: ts.Statement) => ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined;
  return tree.statements.length > 0 && tree.statements.every(passesOn)
    ? [`${path}:1: it only re-exports: import from the file that has it`]
    : [];
};

/** No file or folder is named for being useful. */
export const noUtils: ArchitectureRule = ({ path }) => {
  const named = path.split('/').find((name) => /(^|[-_.])utils?([-_.]|$)/i.test(name));
  return named ? [`${path}:1: ${named} says nothing: name it for what it holds`] : [];
};

// The words are put together here, so that this file does not hold them itself.
const LEFT_FOR_LATER = new RegExp(`\\b(${['TO', 'DO'].join('')}|${['FIX', 'ME'].join('')})\\b`);

/** Nothing is marked as to be done later. */
export const nothingLeft: ArchitectureRule = (source) => matchingLines(source, LEFT_FOR_LATER, 'do it now or leave it out');

const SILENCED = /(oxlint|eslint)-disable(?!.* -- \S)|@ts-(?:ignore|nocheck)|@ts-(?:expect)-error(?! \S)/;

/** Where a rule or the compiler is silenced, the same line says why. */
export const silencedWithReason: ArchitectureRule = (source) =>
  matchingLines(source, SILENCED, 'say why on the same line: `-- the reason`');

function matchingLines({ path, text }: Source, pattern: RegExp, what: string): string[] {
  return text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${what}`] : []));
}
