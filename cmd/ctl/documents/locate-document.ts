import { invalid, MeridianError, type Problem } from '../../../src/errors.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { FILE_LIMITS } from '../../../src/resource/documents/reading-limits.ts';
import { readSources } from './document-sources.ts';
import { fillVariables, type Variables } from './fill-variables.ts';

/** One document, and where the user finds it: `policies.yaml, document 2`. */
export interface LocatedDocument {
  readonly where: string;
  readonly value: unknown;
}

/**
 * Reads all documents of files, folders and `-`. A list, and an object that holds a list as `items`, stand for what is
 * in them; `variables` are filled in. What can't be read, or sent, is told at once. Throws `invalid` for that.
 */
export async function readLocated(paths: readonly string[], variables?: Variables): Promise<LocatedDocument[]> {
  const [{ readDocuments }, { shapeProblems }, sources] = await Promise.all([
    import('../../../src/resource/documents/read-documents.ts'),
    import('../../../src/resource/resource-limits.ts'),
    readSources(paths),
  ]);
  const problems: Problem[] = [];
  const documents = fillVariables(sources, variables).flatMap(({ file, text }) =>
    readDocuments(text, FILE_LIMITS).flatMap((read, index) => {
      const where = `${file}, document ${index + 1}`;
      // JSON would write numbers that it hasn't (.inf) as null.
      const found = 'problem' in read ? [read.problem] : shapeProblems(read.value, []);
      problems.push(...found.map(({ field, reason }) => ({ field: [where, field].filter(Boolean).join(': '), reason })));
      return 'value' in read ? itemsOf(where, read.value) : [];
    }),
  );
  if (problems.length > 0) throw invalid(problems);
  return documents;
}

/** The same, where there must be something. */
export async function readSome(paths: readonly string[], variables?: Variables): Promise<LocatedDocument[]> {
  const documents = await readLocated(paths, variables);
  if (documents.length === 0) throw noDocuments(paths);
  return documents;
}

export function noDocuments(paths: readonly string[], hint?: string): MeridianError {
  return new MeridianError('invalid', `there are no documents in ${paths.join(', ')}`, hint === undefined ? {} : { hint });
}

/** What stands in a list, one by one; anything else as it is. */
export function itemsOf(where: string, value: unknown): LocatedDocument[] {
  const items = listIn(value);
  return items ? items.map((item, index) => ({ where: `${where}, item ${index + 1}`, value: item })) : [{ where, value }];
}

/** `get -o json` and `export -o json` print such, `kubectl get -o yaml` too; with --raw it is a MeshTimeoutList. */
function listIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isObject(value) || value.type !== undefined) return undefined;
  const { kind } = value;
  if (kind !== undefined && !(typeof kind === 'string' && kind.endsWith('List'))) return undefined;
  return Array.isArray(value.items) ? (value.items as readonly unknown[]) : undefined;
}

/** `[1].spec.to` of several documents is `policies.yaml, document 2 (MeshTimeout slow): spec.to` to people. */
export function locate(error: MeridianError, documents: readonly LocatedDocument[]): MeridianError {
  const problems = error.problems.map(({ field, reason }) => {
    const [, index, rest] = /^\[(\d+)\]\.?(.*)$/s.exec(field) ?? [];
    const document = documents[index === undefined ? (documents.length === 1 ? 0 : -1) : Number(index)];
    if (!document) return { field, reason };
    return {
      field: [`${document.where}${titleOf(document.value)}`, index === undefined ? field : rest].filter(Boolean).join(': '),
      reason,
    };
  });
  return new MeridianError(error.code, error.message, { problems, ...(error.hint === undefined ? {} : { hint: error.hint }) });
}

/** ` (MeshTimeout slow)`, as far as the document says it. */
export function titleOf(value: unknown): string {
  const { type, name } = isObject(value) ? namesOf(value) : { type: '', name: '' };
  const title = [type, name].filter(Boolean).join(' ');
  return title === '' ? '' : ` (${title})`;
}

/**
 * What a document of either format calls itself; '' for what it doesn't say. A Secret of Kubernetes has a `type` of
 * another meaning.
 */
export function namesOf({ apiVersion, type, kind, name, mesh, metadata }: JsonObject): {
  readonly type: string;
  readonly mesh: string;
  readonly name: string;
} {
  const { name: inner, labels } = isObject(metadata) ? metadata : {};
  const label = isObject(labels) ? labels['kuma.io/mesh'] : undefined;
  return { type: text(apiVersion === undefined ? (type ?? kind) : kind), mesh: text(mesh ?? label), name: text(name ?? inner) };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
