import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject, JsonValue } from '../../../src/resource/resource.ts';
import { foldMatch, MATCH_TYPES } from '../../../src/resource/string-match.ts';
import { textOf } from '../terminal/printable.ts';
import { type Cell, type TableLayout, context, formatTable, wraps } from '../terminal/table.ts';

/** How many of a list are named before the rest is counted. */
const NAMED = 3;

/** Whose verdicts a dry run says would change, as a table. `answer`: that of `POST /apply?dryRun=true`. */
export function formatChanges(answer: JsonObject, paper: TableLayout): string {
  const changes = objectsIn(answer.changes);
  const incomplete = textOf(answer.incomplete);
  const warning = incomplete === '' ? '' : `NOT COMPLETE: ${incomplete}\n`;
  if (changes.length === 0) return warning === '' ? 'no verdict changes\n' : `${warning}no verdict change was found up to then\n`;
  const sets = objectsIn(answer.callerSets);
  const count = changes.reduce((sum, change) => sum + objectsIn(change.inbounds).length, 0);
  const rows = changes.flatMap((change) => rowsOf(change, sets));
  const heading = [context('MESH'), wraps('TO'), wraps('FROM'), wraps('WHEN'), 'NOW', 'THEN', wraps('DECIDED NOW BY'), wraps('THEN BY')];
  return `${warning}verdicts change at ${count} ${count === 1 ? 'inbound' : 'inbounds'}:\n${formatTable(heading, rows, paper)}`;
}

function rowsOf({ mesh, inbounds, callers }: JsonObject, sets: readonly JsonObject[]): Cell[][] {
  const to = several(objectsIn(inbounds).map(({ dataplane, inbound }) => `${textOf(dataplane)}:${textOf(inbound)}`));
  return objectsIn(callers).flatMap(({ from, verdicts }) => {
    const who = several(objectsIn(from).map((caller) => formatCaller(caller, sets)));
    return objectsIn(verdicts).map((verdict): Cell[] => {
      const [before, after] = [objectOf(verdict.before), objectOf(verdict.after)];
      const verdictCells = [formatVerdict(before), formatVerdict(after)];
      return [textOf(mesh), to, who, formatCondition(objectOf(verdict.when)), ...verdictCells, formatDecider(before), formatDecider(after)];
    });
  });
}

function formatCaller({ kind, spiffeId, sans, set, except }: JsonObject, sets: readonly JsonObject[]): string {
  const without = objectsIn(except).map((one) => formatCaller(one, sets));
  const but = without.length === 0 ? '' : ` but ${several(without)}`;
  if (kind === 'prefix') return `${textOf(spiffeId)}/*${but}`;
  if (kind === 'other') return `anybody else${but}`;
  if (kind === 'plaintext') return 'plain text';
  if (kind === 'sans') return listIn(sans).join('+');
  if (kind !== 'dataplanes') return textOf(spiffeId);
  const { by, dataplanes } = sets[Number(set)] ?? {};
  return `proxies${by === 'tags' ? ' by their tags' : ''} ${several(listIn(dataplanes))}`;
}

/** `GET or POST, /admin/*`: '' for all requests. */
function formatCondition({ method, methodNot, path, pathNot, noPath }: JsonObject): string {
  const nots = [...listIn(methodNot), ...objectsIn(pathNot).map(formatPathMatcher)];
  const parts = [
    ...(method === undefined ? [] : [textOf(method)]),
    ...(isObject(path) ? [formatPathMatcher(path as JsonObject)] : []),
    ...(noPath === true ? ['no path'] : []),
    ...(nots.length === 0 ? [] : [`not ${nots.join(', ')}`]),
  ];
  return parts.join(' ') || 'always';
}

function formatPathMatcher({ type, value }: JsonObject): string {
  const known = MATCH_TYPES.find((one) => one === type);
  // A newer control plane may know more types.
  if (known === undefined) return `${textOf(type)} ${textOf(value)}`;
  return foldMatch({ type: known, value: textOf(value) }, { Exact: (path) => path, Prefix: (start) => `${start}/*` });
}

/** The shadow's is told where it is another one. */
function formatVerdict({ decision, shadow }: JsonObject): Cell {
  const text = decision === shadow ? textOf(decision) : `${textOf(decision)} (shadow ${textOf(shadow)})`;
  return { text, colour: decision === 'Allow' ? 'green' : 'red' };
}

function formatDecider({ decidedBy, shadowDecidedBy, decision, shadow }: JsonObject): string {
  const enforced = textOf(decidedBy) || 'nobody';
  return decision === shadow ? enforced : `${enforced} (shadow ${textOf(shadowDecidedBy) || 'nobody'})`;
}

function several(texts: readonly string[]): string {
  const more = texts.length - NAMED;
  return more > 1 ? `${texts.slice(0, NAMED).join(', ')} and ${more} more` : texts.join(', ');
}

function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).map(objectOf) : [];
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? (value as JsonObject) : {};
}

function listIn(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).map(textOf) : [];
}
