import { invalid } from '../../../src/errors.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import { FILE_LIMITS } from '../../../src/resource/documents/reading-limits.ts';
import { readSources } from './document-sources.ts';

/**
 * The documents of files. A list stands for its items, and an object that is no resource for what it has under `field`.
 * Throws `invalid`.
 */
export async function readValues(paths: readonly string[], field: string): Promise<unknown[]> {
  const [{ readDocuments }, sources] = await Promise.all([import('../../../src/resource/documents/read-documents.ts'), readSources(paths)]);
  return sources.flatMap(({ file, text }) =>
    readDocuments(text, FILE_LIMITS).flatMap((read) => {
      if ('problem' in read) throw invalid([{ field: `${file}: ${read.problem.field}`, reason: read.problem.reason }]);
      return unwrap(read.value, field);
    }),
  );
}

function unwrap(value: unknown, field: string): unknown[] {
  if (Array.isArray(value)) return value;
  const inner = isObject(value) && value.type === undefined && value.kind === undefined ? value[field] : undefined;
  return inner === undefined ? [value] : unwrap(inner, field);
}
