import { Composer, type Document, isScalar, LineCounter, type ParsedNode, Parser, visit, type YAMLMap } from 'yaml';
import type { Problem } from '../errors.js';
import { MAX_LEVELS } from './limits.js';
import { quote } from './path.js';

/** One document of a text: its value, or why it can't be read. */
export type ReadDocument = { readonly value: unknown } | { readonly problem: Problem };

type Token = Parameters<Composer['next']>[0];
type Composed = Document.Parsed<ParsedNode>;

/** YAML 1.2 as JSON knows it: no timestamps, no binaries; `<<` merges as everywhere around Kubernetes. */
const OPTIONS = {
  schema: 'core',
  merge: true,
  stringKeys: true,
  uniqueKeys: false, // the library compares every pair of keys: see `repeatedKey`
  resolveKnownTags: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

/**
 * Splits a text of YAML or JSON documents into values. Empty documents are left out. A document with an error (its line and
 * column are in the reason), a key that comes twice, an unknown tag, an alias bomb or an alias to itself is a problem of that
 * document alone. Never throws.
 */
export function readDocuments(text: string): ReadDocument[] {
  const lines = new LineCounter();
  const read: (ReadDocument | undefined)[] = [];
  let composer = new Composer(OPTIONS);
  for (const token of new Parser(lines.addNewLine).parse(text)) {
    if (token.type === 'document' && nestsTooDeep(token)) {
      read.push(...take(composer.end(), lines), problemAt(lines, token.offset, `nests deeper than ${MAX_LEVELS} levels`));
      composer = new Composer(OPTIONS);
    } else read.push(...take(composer.next(token), lines));
  }
  read.push(...take(composer.end(), lines));
  return read.filter((document) => document !== undefined);
}

function take(composed: Iterable<Composed>, lines: LineCounter): (ReadDocument | undefined)[] {
  return [...composed].map((document) => toValue(document, lines));
}

function toValue(document: Composed, lines: LineCounter): ReadDocument | undefined {
  const fault = document.errors[0] ?? document.warnings[0];
  if (fault) return problemAt(lines, fault.pos[0], fault.message.slice(0, 200));
  const repeated = repeatedKey(document);
  if (repeated) return problemAt(lines, repeated.offset, `the key ${quote(repeated.key)} comes twice`);
  try {
    const value: unknown = document.toJS();
    // An alias may point to what holds it: only writing the value out shows that it ends.
    JSON.stringify(value);
    return value === null || value === undefined ? undefined : { value };
  } catch (thrown) {
    return problemAt(lines, document.range[0], aliasReason(thrown));
  }
}

interface Key {
  readonly key: string;
  readonly offset: number;
}

/** The first key that its map has already; parsers differ on which of the two counts, so neither does. */
function repeatedKey(document: Composed): Key | undefined {
  let found: Key | undefined;
  visit(document, {
    Map: (_, map) => {
      found = repeatedIn(map);
      return found ? visit.BREAK : undefined;
    },
  });
  return found;
}

function repeatedIn(map: YAMLMap): Key | undefined {
  const seen = new Set<string>();
  for (const { key } of map.items) {
    const text = isScalar(key) ? String(key.value) : '';
    if (isScalar(key) && seen.has(text)) return { key: text, offset: key.range?.[0] ?? 0 };
    seen.add(text);
  }
  return undefined;
}

function aliasReason(thrown: unknown): string {
  if (thrown instanceof ReferenceError) return thrown.message;
  return 'an alias points to what holds it, or nests too deep';
}

function problemAt(lines: LineCounter, offset: number, reason: string): ReadDocument {
  const { line, col } = lines.linePos(offset);
  return { problem: { field: 'document', reason: `line ${line}, column ${col}: ${reason}` } };
}

/**
 * Whether a document nests far beyond what a resource may. It is asked before the document is composed: composing recurses, and
 * some ten thousand levels end the process (no exception: the stack is full inside a regular expression).
 */
function nestsTooDeep(document: Token): boolean {
  const open: { readonly token: Token; readonly level: number }[] = [{ token: document, level: 0 }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    // Twice the limit, for here a pair in a list is a level too: the exact limit is that of the value (src/resource/limits.ts).
    if (node.level > 2 * MAX_LEVELS) return true;
    for (const token of childrenOf(node.token)) open.push({ token, level: node.level + 1 });
  }
  return false;
}

function childrenOf(token: Token): Token[] {
  if (token.type === 'document') return token.value ? [token.value] : [];
  if (!('items' in token)) return [];
  return token.items.flatMap((item) => [item.key, item.value].filter((child) => child !== null && child !== undefined));
}
