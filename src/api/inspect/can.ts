import type { FastifyInstance } from 'fastify';
import { can } from '../../control/can.js';
import { formatKri } from '../../resource/key.js';
import { kindOf } from '../../resource/kinds.js';
import { parseJson, textOf } from '../bodies.js';
import { findResource, type InspectOptions } from './inspected.js';
import { readQuestion } from './question.js';

/** `POST /can`: whether a request may enter, what the shadow side says, and which policies decided (design, section 8). */
export function addCanRoute(app: FastifyInstance, { plane, views, sync }: InspectOptions): void {
  app.post('/can', { config: { title: 'Could not decide' } }, (request) => {
    const { mesh, dataplane: name, section, request: asked } = readQuestion(parseJson(textOf(request)));
    const dataplane = findResource(plane, kindOf('Dataplane'), mesh, name);
    const { decidedBy, shadowDecidedBy, ...decision } = can(plane, views(mesh), sync !== undefined, { dataplane, section, request: asked });
    return {
      ...decision,
      decidedBy: decidedBy ? formatKri(decidedBy) : null,
      shadowDecidedBy: shadowDecidedBy ? formatKri(shadowDecidedBy) : null,
      dataplane: formatKri(dataplane.key),
    };
  });
}
