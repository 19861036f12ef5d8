import { JsonPathError, parsePath, textIn } from './json-path.ts';

/** Writes what a template says of values; `show` makes a value printable. */
type TemplatePart = (values: readonly unknown[], show: (text: string) => string) => string;

/** A piece of a template as it is written: text outside of braces, or what is within. */
const PIECE = /\{((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^{}"'])*)\}|([^{}]+)|([{}])/gs;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/**
 * kubectl's JSONPath templates: what is in braces is a path, a text in quotes, or `range PATH` with its `end`; anything
 * else stands for itself. Several values of a path are separated by a space. Throws JsonPathError, which says what is
 * not read here.
 *
 *   {.items[*].name}                                        -> slow fast
 *   {range .items[*]}{.mesh}{"\t"}{.name}{"\n"}{end}        -> a line for each
 */
export function parseTemplate(text: string): (value: unknown, show: (text: string) => string) => string {
  if (!text.includes('{')) throw new JsonPathError(`It has no braces: a path stands in some, like jsonpath={.items[*].name}.`);
  const pieces = [...text.matchAll(PIECE)];
  const { parts, rest } = parseParts(pieces, 0);
  if (rest < pieces.length) throw new JsonPathError('An {end} is without its {range ...}.');
  return (value, show) => writeParts(parts, [value], show);
}

/** The parts up to the `end` of their range, or to the last; and where it goes on. */
function parseParts(pieces: readonly RegExpMatchArray[], from: number): { parts: readonly TemplatePart[]; rest: number } {
  const parts: TemplatePart[] = [];
  for (let index = from; index < pieces.length; index++) {
    const [, braced, plain, stray] = pieces[index] ?? [];
    if (stray !== undefined) throw new JsonPathError(`A ${stray} is without its partner.`);
    const expression = braced?.trim() ?? '';
    if (expression === 'end') return { parts, rest: index };
    if (plain !== undefined) parts.push(() => plain);
    else if (/^range\s/.test(expression)) {
      const inner = parseParts(pieces, index + 1);
      if (inner.rest >= pieces.length) throw new JsonPathError(`{${expression}} has no {end}.`);
      parts.push(rangePart(expression.slice('range'.length).trim(), inner.parts));
      index = inner.rest;
    } else parts.push(expressionPart(expression));
  }
  return { parts, rest: pieces.length };
}

function expressionPart(expression: string): TemplatePart {
  const quoted = /^(["'])(.*)\1$/s.exec(expression)?.[2];
  if (quoted !== undefined) {
    const text = quoted.replaceAll(/\\(.)/gs, (_, escaped: string) => ESCAPES[escaped] ?? escaped);
    return () => text;
  }
  const select = parsePath(expression);
  return (values, show) =>
    select(values)
      .map((value) => show(textIn(value)))
      .join(' ');
}

function rangePart(path: string, parts: readonly TemplatePart[]): TemplatePart {
  const select = parsePath(path);
  return (values, show) =>
    select(values)
      .map((value) => writeParts(parts, [value], show))
      .join('');
}

function writeParts(parts: readonly TemplatePart[], values: readonly unknown[], show: (text: string) => string): string {
  return parts.map((part) => part(values, show)).join('');
}
