import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { can } from '../../control/mesh/answer-can.ts';
import { formatKri } from '../../resource/key.ts';
import { kindOf } from '../../resource/kinds.ts';
import { restName } from '../../resource/rest-name.ts';
import { parseJson, textOf } from '../http/request-bodies.ts';
import { described, type Operation } from '../openapi/operation.ts';
import { kri } from '../openapi/common-shapes.ts';
import { findResource, type InspectOptions, requireMesh } from './inspect-context.ts';
import { questionShape, readQuestion } from './can-question.ts';

const verdict = z.enum(['Allow', 'Deny']);

const operation: Operation = {
  id: 'can',
  summary: 'Whether a request may enter, and which policies decide',
  tag: 'Decisions',
  body: questionShape,
  answers: {
    200: z.strictObject({
      enforced: z
        .boolean()
        .describe('Whether an Envoy of ours asks this. Read it before `decision`: if false, nothing here allows or denies the request'),
      decision: verdict.describe(
        'What the policies come to. Where `enforced` is false it lets nobody in and keeps nobody out; `reason` begins with `not enforced:`',
      ),
      shadow: verdict,
      decidedBy: kri.nullable(),
      shadowDecidedBy: kri.nullable(),
      reason: z.string(),
      warnings: z.array(z.string()),
      dataplane: kri,
    }),
  },
  refusals: [404],
};

/**
 * `POST /can`: whether a request may enter, what the shadow side says, and which policies decided
 * (docs/design/interfaces.md#rest).
 */
export function addCanRoute(app: FastifyInstance, { plane, views, sync, proxies }: InspectOptions): void {
  app.post('/can', described('Could not decide', operation), async (request) => {
    const { mesh, dataplane: name, section, request: asked } = readQuestion(parseJson(textOf(request)));
    requireMesh(plane, mesh);
    const view = await views(mesh);
    const dataplane = findResource(plane, kindOf('Dataplane'), mesh, name);
    const built = proxies?.().find((one) => one.mesh === mesh && one.name === restName(dataplane, plane.place));
    const question = { dataplane, section, request: asked, shut: built?.shut };
    const { decidedBy, shadowDecidedBy, ...decision } = can(plane, view, sync !== undefined, question);
    return {
      ...decision,
      decidedBy: decidedBy ? formatKri(decidedBy) : null,
      shadowDecidedBy: shadowDecidedBy ? formatKri(shadowDecidedBy) : null,
      dataplane: formatKri(dataplane.key),
    };
  });
}
