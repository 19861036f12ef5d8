import { beyond, BODY_LIMITS, NOT_READ, type ReadingLimits } from '../../resource/documents/reading-limits.ts';
import { MAX_LEVELS } from '../../resource/resource-limits.ts';

/** A body that nests a little too deep is read, so that it is told where; this much deeper none is. */
const MAX_OPEN = 2 * MAX_LEVELS;

/**
 * Why a text of JSON is not even parsed, with its line and column, or undefined: it nests without end, or a document
 * holds too many keys and values. A list is one document for each of its items. The text need not be JSON: it is only
 * looked at outside of its strings.
 *
 *   [{"a": 1}, {"a": [1, 2]}]  ->  documents of 2 and 4 parts
 */
export function jsonBeyond(text: string, limits: ReadingLimits = BODY_LIMITS): string | undefined {
  const isList = /^[ \t\r\n]*\[/.test(text);
  let [level, parts, documents] = [0, 0, 1];
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at);
        continue;
      case '{':
      case '[':
        level += 1;
        parts += 1;
        break;
      case '}':
      case ']':
        level -= 1;
        continue;
      case ':':
        parts += 1;
        break;
      case ',':
        parts += 1;
        if (isList && level === 1) [parts, documents] = [0, documents + 1];
        break;
      case undefined:
      default:
        continue;
    }
    const reason = broken({ level, parts, documents }, limits);
    if (reason !== undefined) return `${placeOf(text, at)}: ${reason}: ${NOT_READ}`;
  }
  return undefined;
}

function broken(count: { level: number; parts: number; documents: number }, limits: ReadingLimits): string | undefined {
  if (count.level > MAX_OPEN) return `nests deeper than ${MAX_LEVELS} levels`;
  if (count.parts > limits.parts) return beyond('parts', limits);
  return count.documents > limits.documents ? beyond('documents', limits) : undefined;
}

/** The position of the closing quote of the string that opens at `start`, or the end. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const lines = before.split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}
