import type { FastifyInstance } from 'fastify';
import { originSpecOf } from '../../control/operate/origin-spec.ts';
import { MeridianError } from '../../errors.ts';
import { explicitForm } from '../../policy/explicit-form.ts';
import { roleHere } from '../../policy/match/read-policies.ts';
import { parseKri } from '../../resource/key.ts';
import { toUniversal } from '../../resource/documents/render-forms.ts';
import type { Row } from '../../resource/store/store.ts';
import { addressOf } from '../http/paged-collection.ts';
import { anyShown } from '../openapi/kind-schemas.ts';
import { described, type Operation } from '../openapi/operation.ts';
import { FORMAT } from '../openapi/parameters.ts';
import type { ApiOptions } from '../api-options.ts';
import { NOT_FOUND } from '../http/error-answers.ts';
import { UNCHANGED } from '../openapi/common-shapes.ts';
import { etagOf } from '../http/etags.ts';
import { formatOf, show } from './render-resource.ts';

interface KriRoute {
  Params: { kri: string };
}

const TITLE = 'Could not retrieve a resource';

const getByKri: Operation = {
  id: 'getByKri',
  summary: 'Get a resource by who it is',
  tag: 'Resources',
  query: FORMAT,
  answers: { 200: anyShown, ...UNCHANGED },
};

const getExplicit: Operation = {
  id: 'getExplicit',
  summary: 'Get a policy with all that it leaves out said',
  tag: 'Inspection',
  answers: { 200: anyShown },
};

/**
 * A resource by who it is, whatever it is called here; and what it means, with all that it leaves out said
 * (docs/design/roles.md#explicit-form).
 */
export function addKriRoutes(app: FastifyInstance, { plane }: ApiOptions): void {
  app.get<KriRoute>('/_kri/:kri', described(TITLE, getByKri), (request, reply) => {
    const row = find(request.params.kri);
    void reply.header('etag', etagOf(plane.store, row));
    return show(plane, row.resource, formatOf(addressOf(request).searchParams));
  });
  app.get<KriRoute>('/_explicit/:kri', described(TITLE, getExplicit), (request) => {
    const { resource } = find(request.params.kri);
    const { spec, origin } = originSpecOf(plane, resource);
    return toUniversal({ ...resource, spec: explicitForm(resource.key.type, spec, roleHere(resource), resource.key, origin) }, plane.place);
  });

  /** A KRI may name a section of a resource: the resource is shown. */
  function find(kri: string): Row {
    const row = plane.store.get(parseKri(kri).key);
    if (!row) throw new MeridianError('not_found', NOT_FOUND);
    return row;
  }
}
