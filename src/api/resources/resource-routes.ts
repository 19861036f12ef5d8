import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { inTurns } from '../../control/plane/in-turns.ts';
import type { PlaneContents } from '../../control/plane/plane.ts';
import { deleteOwn, type WrittenDocument } from '../../control/write/write-documents.ts';
import { MeridianError } from '../../errors.ts';
import type { WarningContext } from '../../control/write/write-warnings.ts';
import { type Kind, KINDS } from '../../resource/kinds.ts';
import type { Key } from '../../resource/key.ts';
import type { Parts } from '../../resource/store/parts.ts';
import type { Row, Transaction } from '../../resource/store/store.ts';
import { writeAudited, writeAuditedInParts } from '../audit/audit-requests.ts';
import type { Bodies } from '../bodies/read-body.ts';
import { addressOf, collection, listQuery } from '../http/paged-collection.ts';
import { NOT_FOUND } from '../http/error-answers.ts';
import { etagOf, requireMatch } from '../http/etags.ts';
import { inMesh } from './require-mesh.ts';
import { type ListAnswers, rememberLists } from '../http/list-cache.ts';
import { locate, type Params } from './locate-resource.ts';
import { kindOperations } from '../openapi/kind-operations.ts';
import type { ApiOptions } from '../api-options.ts';
import { patchResource } from './patch-resource.ts';
import { putResource } from './put-resource.ts';
import { refuseReadOnlyKind } from './read-only-kinds.ts';
import { formatOf, show } from './render-resource.ts';
import { removeZone } from './zone-routes.ts';

/** `/meshes/{mesh}/{path}` for the kinds in meshes, `/{path}` for the global ones. */
export function addResourceRoutes(app: FastifyInstance, options: ApiOptions, beside: WarningContext, bodies: Bodies): void {
  const answers = rememberLists(options.plane.store);
  const meshIsThere = inMesh(options.plane);
  for (const kind of KINDS) {
    const perMesh = kind.scope === 'Mesh';
    const base = perMesh ? `/meshes/:mesh/${kind.path}` : `/${kind.path}`;
    const preHandler = perMesh ? meshIsThere : [];
    const operations = kindOperations(kind);
    app.get(base, { preHandler, ...operations.list }, list(options, kind, answers));
    // All meshes at once.
    if (perMesh) app.get(`/${kind.path}`, operations.listAll, list(options, kind, answers));
    app.get(`${base}/:name`, { preHandler, ...operations.get }, getOne(options, kind));
    app.delete(`${base}/:name`, { preHandler, ...operations.delete }, remove(options, kind));
    app.put(`${base}/:name`, { preHandler, ...operations.put }, putResource(options, kind, beside, bodies));
    app.patch(`${base}/:name`, { preHandler, ...operations.patch }, patchResource(options, kind, beside, bodies));
  }
}

function list({ plane }: ApiOptions, kind: Kind, answers: ListAnswers) {
  const make = (request: FastifyRequest) => {
    const { mesh } = request.params as Params;
    const format = formatOf(addressOf(request).searchParams);
    const { offset, size, nameContains, labels } = listQuery(request);
    const page = plane.store.list({ type: kind.type, mesh, nameContains, labels }, offset, size);
    const items = page.items.map((resource) => show(plane, resource, format));
    return collection(request, page.total, items);
  };
  return (request: FastifyRequest, reply: FastifyReply) => answers(request, reply, () => make(request));
}

function getOne({ plane }: ApiOptions, kind: Kind) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const format = formatOf(addressOf(request).searchParams);
    const row = requireRow(plane, kind, request);
    void reply.header('etag', etagOf(plane.store, row));
    return show(plane, row.resource, format);
  };
}

function remove(options: ApiOptions, kind: Kind) {
  const { plane } = options;
  return async (request: FastifyRequest) => {
    refuseReadOnlyKind(plane.place, kind);
    const asked = (tx: Transaction): Key => {
      const row = requireRow({ place: plane.place, store: tx }, kind, request);
      requireMatch(request, tx, () => row);
      return row.resource.key;
    };
    // All that a zone sent goes with it.
    if (kind.type === 'Zone') {
      await inTurns(
        'apply',
        writeAuditedInParts(options, request, (tx) => deleteAsked(tx, asked(tx), options)),
      );
      return {};
    }
    await writeAudited(options, request, (tx) => {
      const key = asked(tx);
      deleteOwn(tx, plane, key);
      return { written: [{ key, outcome: 'deleted' as const }] };
    });
    return {};
  };
}

function* deleteAsked(tx: Transaction, zone: Key, options: ApiOptions): Parts<readonly WrittenDocument[]> {
  yield* removeZone(tx, options, zone.name);
  return [{ key: zone, outcome: 'deleted' }];
}

function requireRow(held: PlaneContents, kind: Kind, request: FastifyRequest): Row {
  const { mesh = '', name = '' } = request.params as Params;
  const row = locate(held, kind, mesh, name);
  if (!row) throw new MeridianError('not_found', NOT_FOUND);
  return row;
}
