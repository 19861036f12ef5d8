import { Composer, type Document, isScalar, Lexer, LineCounter, type ParsedNode, Parser, type Scalar, visit, type YAMLMap } from 'yaml';
import type { Problem } from '../../errors.ts';
import { ambiguity } from './ambiguous-scalars.ts';
import { LexemeCount } from './count-lexemes.ts';
import { beyond, BODY_LIMITS, NOT_READ, type ReadingLimits } from './reading-limits.ts';
import { writtenOut } from './written-out.ts';
import { MAX_LEVELS } from '../resource-limits.ts';
import { quote } from '../field-path.ts';

/** One document of a text: its value, or why it can't be read. */
export type ReadDocument = { readonly value: unknown } | { readonly problem: Problem };

type YamlToken = Parameters<Composer['next']>[0];
type ComposedDocument = Document.Parsed<ParsedNode>;

/** YAML 1.2 as JSON knows it: no timestamps, no binaries; `<<` merges as everywhere around Kubernetes. */
const OPTIONS = {
  schema: 'core',
  merge: true,
  stringKeys: true,
  uniqueKeys: false, // the library compares every pair of keys: see `repeatedIn`
  resolveKnownTags: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

/**
 * How many collections may be open at once while a text is read. Twice the limit of a body, for a pair in a list counts
 * here too: the exact limit is that of the value (src/resource/resource-limits.ts). The library recurses, and some ten
 * thousand levels end the process without an exception, so it must not see them.
 */
const MAX_OPEN = 2 * MAX_LEVELS;
const TOO_DEEP = `nests deeper than ${MAX_LEVELS} levels`;

/**
 * Splits a text of YAML or JSON documents into values. Empty documents are left out. A document with an error (its line
 * and column are in the reason), a key that comes twice, what parsers read differently
 * (src/resource/documents/ambiguous-scalars.ts), an unknown tag, an alias bomb or an alias to itself is a problem of
 * that document alone; only nesting without end, and what goes over a limit, stop the reading. Never throws.
 */
export function readDocuments(text: string, limits: ReadingLimits = BODY_LIMITS): ReadDocument[] {
  return [...eachDocument(text, limits)];
}

/** The same, one after the other: only one document is in memory as a tree. */
export function* eachDocument(text: string, limits: ReadingLimits): Generator<ReadDocument, void> {
  const lines = new LineCounter();
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer(OPTIONS);
  const count = new LexemeCount(limits);
  const take = function* (documents: Iterable<ComposedDocument>): Generator<ReadDocument, void> {
    for (const document of documents) {
      const read = toValue(document, lines, limits);
      if (read) yield read;
    }
  };
  const compose = function* (tokens: Iterable<YamlToken>): Generator<ReadDocument, void> {
    for (const token of tokens) yield* take(composer.next(token));
  };
  for (const lexeme of new Lexer().lex(text)) {
    const tooMuch = count.add(lexeme);
    if (tooMuch === undefined) yield* compose(parser.next(lexeme));
    const stop = tooMuch ?? (parser.stack.length > MAX_OPEN ? TOO_DEEP : undefined);
    if (stop === undefined) continue;
    yield* take(composer.end());
    yield problemAt(lines, parser.offset, `${stop}: ${NOT_READ}`);
    return;
  }
  yield* compose(parser.end());
  yield* take(composer.end());
}

function toValue(document: ComposedDocument, lines: LineCounter, limits: ReadingLimits): ReadDocument | undefined {
  const fault = document.errors[0] ?? document.warnings[0];
  if (fault) return problemAt(lines, fault.pos[0], fault.message.slice(0, 200));
  const unclear = unclearIn(document);
  if (unclear) return problemAt(lines, unclear.offset, unclear.reason);
  const { parts, aliases } = writtenOut(document);
  if (parts > limits.parts) return problemAt(lines, document.range[0], `written out, it ${beyond('parts', limits)}`);
  try {
    const value: unknown = document.toJS();
    // An alias may point to what holds it: only writing the value out shows that it ends.
    if (aliases > 0) JSON.stringify(value);
    return value === null || value === undefined ? undefined : { value };
  } catch (thrown) {
    return problemAt(lines, document.range[0], aliasReason(thrown));
  }
}

interface UnclearScalar {
  readonly offset: number;
  readonly reason: string;
}

/**
 * The first that other parsers would read as something else: a key that its map has already (they differ on which one
 * counts), `010`, `on`.
 */
function unclearIn(document: ComposedDocument): UnclearScalar | undefined {
  let found: UnclearScalar | undefined;
  const stop = (unclear: UnclearScalar | undefined) => {
    found = unclear;
    return found ? visit.BREAK : undefined;
  };
  visit(document, { Map: (_, map) => stop(repeatedIn(map)), Scalar: (_, scalar) => stop(unclearScalar(scalar)) });
  return found;
}

function repeatedIn(map: YAMLMap): UnclearScalar | undefined {
  const seen = new Set<string>();
  for (const { key } of map.items) {
    const text = isScalar(key) ? String(key.value) : '';
    if (isScalar(key) && seen.has(text)) return { offset: key.range?.[0] ?? 0, reason: `the key ${quote(text)} comes twice` };
    seen.add(text);
  }
  return undefined;
}

/** Keys too: `on: x` has the key `true` for some. With `!!str` it is a text for everybody. */
function unclearScalar({ type, source = '', tag, range }: Scalar): UnclearScalar | undefined {
  const reason = type === 'PLAIN' && tag === undefined ? ambiguity(source) : undefined;
  return reason === undefined ? undefined : { offset: range?.[0] ?? 0, reason: `${source} ${reason}` };
}

function aliasReason(thrown: unknown): string {
  if (thrown instanceof ReferenceError) return thrown.message;
  return 'an alias points to what holds it, or nests too deep';
}

function problemAt(lines: LineCounter, offset: number, reason: string): ReadDocument {
  const { line, col } = lines.linePos(offset);
  return { problem: { field: 'document', reason: `line ${line}, column ${col}: ${reason}` } };
}
