import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Plane } from '../../control/plane/plane.ts';
import { inTurns } from '../../control/plane/in-turns.ts';
import { type WarningContext, warningsInParts } from '../../control/write/write-warnings.ts';
import { admitDocuments, type Document } from '../../control/write/write-documents.ts';
import { MeridianError, type Problem } from '../../errors.ts';
import { findKind, type Kind } from '../../resource/kinds.ts';
import { LABEL } from '../../resource/labels.ts';
import { parseDocument } from '../../resource/documents/parse-documents.ts';
import type { ReadDocument } from '../../resource/documents/read-documents.ts';
import { formatPath, isObject, quote } from '../../resource/field-path.ts';
import type { Draft, Place } from '../../resource/resource.ts';
import { hasNamespaces, restName } from '../../resource/rest-name.ts';
import type { Reader, Row } from '../../resource/store/store.ts';
import { writeAudited } from '../audit/audit-requests.ts';
import { type Bodies, goneOf } from '../bodies/read-body.ts';
import { etagOf, requireMatch } from '../http/etags.ts';
import { locate, type Params, withoutEchoedName } from './locate-resource.ts';
import type { ApiOptions } from '../api-options.ts';
import { refuseReadOnlyKind } from './read-only-kinds.ts';

/** Who the URL says is written. */
interface PutTarget {
  readonly kind: Kind;
  readonly mesh: string;
  readonly name: string;
}

/** For whom a document is written. */
interface Putting {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly beside: WarningContext;
  /** What the document was made from; undefined: it is the client's. */
  readonly from?: Row;
}

/**
 * `PUT`: 201 for what was not there, else 200, with the resource's ETag. What is accepted and may not do as expected is
 * among the warnings: references that point to nothing too, for their targets may come later.
 */
export function putResource(options: ApiOptions, kind: Kind, beside: WarningContext, bodies: Bodies) {
  const { plane } = options;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    refuseReadOnlyKind(plane.place, kind);
    const { mesh = '', name = '' } = request.params as Params;
    const values = await bodies.values(request, { gone: goneOf(reply), charge: () => {} });
    return putDocument(options, { kind, mesh, name }, values, { request, reply, beside });
  };
}

/**
 * Writes the document of a body, and answers. undefined: nothing is written, for `from` is not what is there any more.
 */
export async function putDocument(
  options: ApiOptions,
  target: PutTarget,
  values: readonly ReadDocument[],
  { request, reply, beside, from }: Putting,
): Promise<{ readonly warnings?: readonly string[] } | undefined> {
  const { plane } = options;
  const document = readDocument(plane, target, values);
  // Problems of the document itself are told even where the resource has changed by now.
  const write = admitDocuments(plane, [document]);
  const done = await writeAudited(options, request, (tx) => {
    const before = stored(tx, plane.place, document);
    if (from !== undefined && before?.revision !== from.revision) return { written: [], row: undefined, isLate: true };
    requireMatch(request, tx, () => before);
    const written = write(tx);
    return { written, row: written[0] && tx.get(written[0].key), isLate: false };
  });
  if (done.isLate) return undefined;
  const { written, row } = done;
  void reply.code(written[0]?.outcome === 'created' ? 201 : 200);
  if (!row) return {};
  void reply.header('etag', etagOf(plane.store, row));
  const [found = []] = await inTurns('apply', warningsInParts(plane, [row.resource.key], beside));
  const warnings = found.map((warning) => `${restName(row.resource, plane.place)}: ${warning}`);
  return warnings.length === 0 ? {} : { warnings };
}

/** What a document would replace. */
function stored(store: Reader, place: Place, { draft }: Document): Row | undefined {
  const kind = draft && findKind(draft.type);
  if (!kind) return undefined;
  const { type, mesh, name, namespace } = draft;
  return store.byName(type, mesh, hasNamespaces(kind, place) ? (namespace ?? place.systemNamespace) : '', name);
}

/** The document of the body. Where it and the URL disagree, that is among its problems. */
function readDocument(plane: Plane, target: PutTarget, values: readonly ReadDocument[]): Document {
  const [read, ...more] = values;
  if (!read || more.length > 0) throw new MeridianError('invalid', 'the body must be one document', { hint: 'POST /apply takes several' });
  if ('problem' in read) return { problems: [read.problem] };
  const { draft, problems } = parseDocument(withoutEchoedName(read.value, target.kind, plane, target.mesh));
  if (!draft) return { problems };
  const sameName = isNamed(plane, target, draft) || (isObject(read.value) && read.value.name === target.name);
  return { draft, problems: [...disagreements(plane, target, draft, sameName), ...problems] };
}

/** In Kuma's words. */
function disagreements(plane: Plane, target: PutTarget, draft: Draft, sameName: boolean): readonly Problem[] {
  const fields = { name: sameName, type: draft.type === target.kind.type, mesh: draft.mesh === target.mesh };
  const different = Object.entries(fields).filter(([, same]) => !same);
  const problems = different.map(([field]) => ({ field, reason: `${field} from the URL has to be the same as in body` }));
  return problems.length > 0 ? problems : mistaken(plane, target, draft);
}

/** `slow`, or `slow.backend-ns` where there are namespaces. */
function isNamed({ place }: Plane, { kind, name }: PutTarget, draft: Draft): boolean {
  const namespace = draft.namespace ?? place.systemNamespace;
  return name === draft.name || (hasNamespaces(kind, place) && name === `${draft.name}.${namespace}`);
}

/**
 * A document `slow.backend-ns` without a namespace label would become a policy of the system namespace, beside the
 * `slow` of `backend-ns` that this URL shows: surely not what was meant.
 */
function mistaken(plane: Plane, { kind, mesh, name }: PutTarget, draft: Draft): readonly Problem[] {
  if (draft.namespace !== undefined || !hasNamespaces(kind, plane.place)) return [];
  const shown = locate(plane, kind, mesh, name)?.resource;
  if (!shown || shown.namespace === plane.place.systemNamespace) return [];
  const reason = `is missing: ${quote(name)} is ${shown.name} in namespace ${shown.namespace}; say which namespace is meant`;
  return [{ field: formatPath(['labels', LABEL.namespace]), reason }];
}
