import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { invalid, type Problem } from '../../errors.ts';
import { kindOf } from '../../resource/kinds.ts';
import { isObject, quote } from '../../resource/field-path.ts';
import { restName } from '../../resource/rest-name.ts';
import { about } from '../audit/audit-record.ts';
import { parseJson, textOf } from '../http/request-bodies.ts';
import { findResource } from '../inspect/inspect-context.ts';
import { described, type Operation } from '../openapi/operation.ts';
import { time } from '../openapi/common-shapes.ts';
import type { ApiOptions } from '../api-options.ts';

const FIELDS = ['mesh', 'dataplane', 'validFor'];
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };
const YEAR = 365 * 24 * 3600;
/** Whoever has one may only read what one proxy enforces. */
const VALID_FOR = YEAR;
const LONGEST = 10 * YEAR;

const issueOperation: Operation = {
  id: 'issueProxyToken',
  summary: 'Make the proof of who it is for the proxy of a Dataplane',
  tag: 'Security',
  body: z
    .strictObject({
      mesh: z.string().min(1),
      dataplane: z.string().min(1).describe('Its REST name or KRI'),
      validFor: z
        .string()
        .regex(/^\d{1,9}[smh]$/)
        .optional()
        .describe('A year if not said'),
    })
    .meta({ id: 'ProxyTokenOrder' }),
  answers: { 200: z.strictObject({ token: z.string(), nodeId: z.string(), expires: time }) },
  refusals: [404],
};

const revokeOperation: Operation = {
  id: 'revokeProxyTokens',
  summary: 'Refuse every proxy token that was made before, and end the streams that were opened with one',
  tag: 'Security',
  answers: { 200: z.strictObject({}) },
};

/**
 * `POST /_proxy-tokens` with `{mesh, dataplane, validFor?}`: the proof of who it is for the proxy of a Dataplane (its
 * REST name or KRI), and the node id that it goes with. `validFor` is like `24h`, `90m` or `30s`; a year if not said.
 * `DELETE` revokes all of them: which one leaked is not always known, and none is kept. A zone's alone.
 */
export function addProxyTokensRoute(app: FastifyInstance, { plane, proxyTokens }: ApiOptions): void {
  if (!proxyTokens) return;
  app.delete('/_proxy-tokens', described('Could not revoke the tokens', revokeOperation), () => {
    proxyTokens.revokeAll();
    return {};
  });
  app.post('/_proxy-tokens', described('Could not make a token', issueOperation), (request) => {
    const { mesh, dataplane, validFor } = readOrder(parseJson(textOf(request)));
    const name = restName(findResource(plane, kindOf('Dataplane'), mesh, dataplane), plane.place);
    about(request, 'Dataplane', name, mesh);
    return proxyTokens.issue({ mesh, name }, validFor);
  });
}

function readOrder(value: unknown): { mesh: string; dataplane: string; validFor: number } {
  if (!isObject(value)) throw invalid([{ field: 'document', reason: 'must be an object' }]);
  const { mesh, dataplane, validFor } = value;
  const seconds = validFor === undefined ? VALID_FOR : secondsOf(validFor);
  const problems: Problem[] = Object.keys(value)
    .filter((field) => !FIELDS.includes(field))
    .map((field) => ({ field: quote(field), reason: `must be one of ${FIELDS.join(', ')}` }));
  if (seconds === undefined) problems.push({ field: 'validFor', reason: 'must be like 24h, 90m or 30s, at most ten years' });
  const order = { mesh: readName(mesh, 'mesh', problems), dataplane: readName(dataplane, 'dataplane', problems), validFor: seconds ?? 0 };
  if (problems.length > 0) throw invalid(problems);
  return order;
}

function readName(value: unknown, field: string, problems: Problem[]): string {
  if (typeof value === 'string' && value !== '') return value;
  problems.push({ field, reason: 'must be a name' });
  return '';
}

function secondsOf(text: unknown): number | undefined {
  const [, digits = '', unit = ''] = (typeof text === 'string' && /^(\d{1,9})([smh])$/.exec(text)) || [];
  const seconds = Number(digits) * (SECONDS[unit] ?? 0);
  return seconds > 0 && seconds <= LONGEST ? seconds : undefined;
}
