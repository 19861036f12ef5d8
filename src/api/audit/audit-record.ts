import type { FastifyRequest } from 'fastify';
import type { Plane } from '../../control/plane/plane.ts';
import type { AuditRecord } from '../../resource/store/audit.ts';
import { formatKri, type Key } from '../../resource/key.ts';
import { type Kind, KINDS } from '../../resource/kinds.ts';
import type { Principal } from '../auth/principal.ts';
import { locate, type Params } from '../resources/locate-resource.ts';

/** What a request is about, as far as it can be told. */
export type AuditSubject = Pick<AuditRecord, 'type' | 'mesh' | 'name' | 'kri'>;

/** Longer than any valid name, so that no URL fills the records. */
const LONGEST = 512;

/** Says what a request is about where its URL does not: a name alone, never what else was in it. */
export function about(request: FastifyRequest, type: string, name: string, mesh = ''): void {
  request.about = { type, mesh, name: name.slice(0, LONGEST), kri: '' };
}

const NOTHING: AuditSubject = { type: '', mesh: '', name: '', kri: '' };

/** Who asks from where for what: what all records of a request have. */
export function headOf(request: FastifyRequest, plane: Plane, principal: Principal | undefined = request.principal) {
  return {
    time: plane.now(),
    principal: principal?.name ?? '',
    role: principal?.role ?? '',
    address: request.socket.remoteAddress ?? '',
    operation: operationOf(request),
  };
}

/** `put` and `delete` of resources, else the operation's id: `apply`, `recover`, `issueToken`. */
function operationOf({ method, routeOptions }: FastifyRequest): string {
  return kindOfRoute(routeOptions.url) ? method.toLowerCase() : (routeOptions.config.operation?.id ?? method.toLowerCase());
}

/** The subject that the URL names. What the route itself said (`about`) counts more. */
export function subjectOf(request: FastifyRequest, plane: Plane): AuditSubject {
  if (request.about) return request.about;
  const kind = kindOfRoute(request.routeOptions.url);
  const { mesh = '', name = '', id = '' } = (request.params ?? {}) as Params & { id?: string };
  const named = { ...NOTHING, mesh: mesh.slice(0, LONGEST), name: (name || id).slice(0, LONGEST) };
  if (!kind) return named;
  const known = locate(plane, kind, mesh, name)?.resource.key;
  return { ...named, type: kind.type, kri: known ? formatKri(known) : '' };
}

export function toSubject(key: Key): AuditSubject {
  const { type, mesh, name } = key;
  return { type, mesh, name, kri: formatKri(key) };
}

/** `/meshes/:mesh/meshtimeouts/:name` and `/zones/:name` are of MeshTimeout and Zone. */
function kindOfRoute(url = ''): Kind | undefined {
  const [, path] = /^(?:\/meshes\/:mesh)?\/([^/:]+)\/:name$/.exec(url) ?? [];
  return KINDS.find((kind) => kind.path === path);
}
