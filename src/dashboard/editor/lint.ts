import './without-eval.ts';
import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';
import type { Problem } from '../../errors.ts';
import { parseDocument } from '../../resource/documents/parse-documents.ts';
import { readDocuments } from '../../resource/documents/read-documents.ts';
import { validateDraft } from '../../resource/documents/validate-draft.ts';

/** What is wrong with a text, and where. */
export interface LintFinding {
  /** From 1; undefined: no line of its own. */
  readonly line: number | undefined;
  readonly text: string;
}

/**
 * What can be said of documents without asking anybody, by the rules of the control plane: their YAML, fields and
 * values. What depends on where they are applied a dry run says. Never throws.
 */
export function lint(text: string): LintFinding[] {
  const read = readDocuments(text);
  if (read.length === 0) return [{ line: undefined, text: 'There is no document yet.' }];
  const places = read.some((one) => 'problem' in one) ? [] : placesIn(text);
  return read.flatMap((one, index) => {
    if ('problem' in one) return [{ line: lineSaid(one.problem.reason), text: one.problem.reason }];
    const { draft, problems } = parseDocument(one.value);
    const found = draft ? [...problems, ...validateDraft(draft)] : problems;
    return found.map((problem) => ({ line: places[index]?.(problem.field), text: textOf(problem) }));
  });
}

function textOf({ field, reason }: Problem): string {
  return field === '' ? reason : `${field}: ${reason}`;
}

/** Of `line 3, column 2: ...`. */
function lineSaid(reason: string): number | undefined {
  const [, line] = /^line (\d+)/.exec(reason) ?? [];
  return line === undefined ? undefined : Number(line);
}

/** For each document that says something: where a field stands, or else the nearest around it. */
function placesIn(text: string): ((field: string) => number | undefined)[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, logLevel: 'silent' });
  if (!Array.isArray(documents)) return [];
  return documents
    .filter((one: Document) => one.toJS() !== null)
    .map((one: Document) => (field: string) => {
      const offset = offsetOf(one.contents, partsOf(field));
      return offset === undefined ? undefined : lines.linePos(offset).line;
    });
}

function offsetOf(top: unknown, parts: readonly string[]): number | undefined {
  let [node, offset] = [top, (top as Node | null)?.range?.[0]];
  for (const part of parts) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === part);
      if (!pair) break;
      [node, offset] = [pair.value, (pair.key as Node).range?.[0]];
    } else if (isSeq(node) && node.items[Number(part)] !== undefined) {
      node = node.items[Number(part)];
      offset = (node as Node).range?.[0];
    } else break;
  }
  return offset;
}

/** `spec.to[0].name`, `labels["kuma.io/mesh"]` -> their parts. */
function partsOf(field: string): string[] {
  return [...field.matchAll(/"((?:[^"\\]|\\.)*)"|[A-Za-z0-9_-]+/g)].map(([part, quoted]) => quoted ?? part);
}
