import { SET_LABEL } from '../../../src/control/write/applied-sets.ts';
import { kindOf } from '../../../src/resource/kinds.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { Draft, JsonObject, Place } from '../../../src/resource/resource.ts';
import { ask } from '../api/api-client.ts';
import type { LocatedDocument } from '../documents/locate-document.ts';
import { formatAt, formatDocument, writtenOf } from '../documents/write-documents.ts';
import { toYaml } from '../terminal/output.ts';
import { textOf } from '../terminal/printable.ts';
import { resourcePath, resourceTitle } from '../api/resource-path.ts';
import type { Server } from '../api/server-address.ts';
import { inOrderOf } from './key-order.ts';
import { unifiedDiff } from './unified-diff.ts';

/** What `apply` would make of one resource. */
export interface DocumentChange {
  readonly type: string;
  readonly mesh: string;
  readonly name: string;
  readonly kri: string;
  readonly outcome: string;
  /**
   * Unified, with its two lines of names; '' for what is unchanged, and where only what the control plane computes
   * changes.
   */
  readonly diff: string;
}

/**
 * The changes that a dry run announced (`results`, in the order of the documents, deletes behind them), each with what
 * is there now and what would be, as YAML of what a user wrote.
 */
export async function changesOf(
  server: Server,
  place: Place,
  documents: readonly LocatedDocument[],
  results: readonly JsonObject[],
  set: string | undefined,
): Promise<DocumentChange[]> {
  const changes: DocumentChange[] = [];
  for (const [index, result] of results.entries()) changes.push(await changeOf(server, place, documents[index], result, set));
  return changes;
}

async function changeOf(
  server: Server,
  place: Place,
  document: LocatedDocument | undefined,
  result: JsonObject,
  set: string | undefined,
): Promise<DocumentChange> {
  const said = (field: string): string => textOf(result[field]);
  const [type, mesh, name, outcome] = [said('type'), said('mesh'), said('name'), said('outcome')];
  const title = resourceTitle(type, mesh, name);
  const now = outcome === 'changed' || outcome === 'deleted' ? await ask(server, resourcePath(kindOf(type), mesh, name)) : undefined;
  const then = outcome === 'changed' || outcome === 'created' ? document?.value : undefined;
  const [before, after] = [documentIn(writtenIn(now, place), place), documentIn(marked(writtenIn(then, place), set), place)];
  const diff = unifiedDiff(await textOfDocument(before), await textOfDocument(inOrderOf(before, after)));
  const names = `--- ${now === undefined ? '(nothing)' : title}\n+++ ${then === undefined ? '(nothing)' : `${title} (${document?.where ?? ''})`}\n`;
  return { type, mesh, name, kri: said('kri'), outcome, diff: diff === '' ? '' : `${names}${diff}` };
}

function writtenIn(value: unknown, place: Place): Draft | undefined {
  return isObject(value) ? writtenOf(value, place) : undefined;
}

/** The control plane marks what is applied as a set: that shows as if it stood in the file. */
function marked(draft: Draft | undefined, set: string | undefined): Draft | undefined {
  if (!draft || set === undefined) return draft;
  const labels = Object.entries({ ...draft.labels, [SET_LABEL]: set }).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...draft, labels: Object.fromEntries(labels) };
}

function documentIn(draft: Draft | undefined, place: Place): JsonObject | undefined {
  return draft && formatDocument(draft, formatAt(place), place);
}

function textOfDocument(document: unknown): string | Promise<string> {
  return document === undefined ? '' : toYaml(document);
}
