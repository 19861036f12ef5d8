import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { type WarningContext, warningsInParts } from '../../control/write/write-warnings.ts';
import { inTurns } from '../../control/plane/in-turns.ts';
import { enforcementOf } from '../../policy/enforcement-table.ts';
import { hasRole } from '../../policy/policy-role.ts';
import { formatKri } from '../../resource/key.ts';
import { KINDS } from '../../resource/kinds.ts';
import type { Params } from '../resources/locate-resource.ts';
import { described } from '../openapi/operation.ts';
import { kri } from '../openapi/common-shapes.ts';
import type { ApiOptions } from '../api-options.ts';
import { findResource, ONE } from './inspect-context.ts';

const answer = z.strictObject({ kri, enforced: z.enum(['yes', 'partly', 'no']), warnings: z.array(z.string()) });

/**
 * `GET .../{policy}/_enforcement`: whether proxies enforce a policy, and what may not do as its author expects: as
 * `apply` says.
 */
export function addEnforcementRoutes(app: FastifyInstance, { plane }: ApiOptions, beside: WarningContext): void {
  for (const kind of KINDS.filter(hasRole)) {
    const operation = {
      id: `get${kind.type}Enforcement`,
      summary: `Whether proxies enforce a ${kind.type}, and what of it may not do as expected`,
      tag: 'Inspection',
      answers: { 200: answer },
    } as const;
    app.get(`/meshes/:mesh/${kind.path}/:name/_enforcement`, described(ONE, operation), async (request) => {
      const { mesh = '', name = '' } = request.params as Params;
      const { key, labels, spec } = findResource(plane, kind, mesh, name);
      const [warnings = []] = await inTurns('view', warningsInParts(plane, [key], beside));
      return { kri: formatKri(key), enforced: enforcementOf(key.type, labels, spec).enforced, warnings };
    });
  }
}
