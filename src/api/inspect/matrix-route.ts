import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { CALLERS_BY, type CallersBy, callersOf, type MatrixCaller } from '../../control/matrix/matrix-callers.ts';
import { inboundsOf, isEnforced, type MatrixInbound } from '../../control/matrix/matrix-inbounds.ts';
import { verdictMatrix } from '../../control/matrix/verdict-matrix.ts';
import { isClosed } from '../../control/peers/first-scan-state.ts';
import type { MeshView } from '../../control/mesh/mesh-view.ts';
import type { Plane } from '../../control/plane/plane.ts';
import { invalid } from '../../errors.ts';
import { quote } from '../../resource/field-path.ts';
import { formatKri } from '../../resource/key.ts';
import type { Resource } from '../../resource/resource.ts';
import { restName } from '../../resource/rest-name.ts';
import type { Parts } from '../../resource/store/parts.ts';
import { chargedAnswers } from '../bodies/charged-answers.ts';
import { addressOf } from '../http/paged-collection.ts';
import { kri, UNCHANGED } from '../openapi/common-shapes.ts';
import { described, type Operation } from '../openapi/operation.ts';
import type { Params } from '../resources/locate-resource.ts';
import { servicesOfProxy } from '../insights/insight-status.ts';
import { type InspectOptions, requireMesh, shutAt } from './inspect-context.ts';

const count = z.int().min(0);
const size = z.int().min(1).max(1000);
const offset = z.int().min(0).max(999_999_999);
const caller = z.strictObject({
  kind: z
    .enum(['identity', 'prefix', 'sans', 'other', 'plaintext', 'dataplanes'])
    .describe(
      '`prefix`: all below a SPIFFE ID but those that are named more closely; `other`: whoever is named nowhere; `plaintext`: no certificate',
    ),
  name: z.string(),
  sans: z.array(z.string()).describe('The URI SANs of one of them, to ask `POST /can` with: what is decided about it holds for all'),
  dataplanes: count.describe('How many proxies show that certificate'),
  services: z
    .array(z.strictObject({ zone: z.string(), service: z.string() }))
    .optional()
    .describe('Of `dataplanes`: the zones and services of those proxies, by their tags'),
});
const inbound = z.strictObject({
  kri,
  dataplane: z.string(),
  zone: z.string(),
  service: z.string(),
  inbound: z.string(),
  protocol: z.enum(['http', 'tcp']),
  enforced: z.boolean().describe('Whether an Envoy of ours asks there: else nobody enforces the verdicts'),
});

const operation: Operation = {
  id: 'getVerdictMatrix',
  summary: 'Who may call whom: a verdict for each caller at each inbound',
  description:
    'A letter for each inbound in the row of each caller, as `POST /can` decides: `A` Allow, `D` Deny, `a` Allow and `d` Deny where the shadow side says otherwise, ' +
    '`p` where it depends on the method or the path (`POST /can/requests` says how). A token has 20 s of work for matrices at once, and 0.2 s more each second.',
  tag: 'Decisions',
  query: {
    by: z
      .enum(CALLERS_BY)
      .describe('Which callers: `named` by permissions; proxies by `spiffeId` or by `tags`. If not said: `all`, but by tags'),
    from: z.string().describe('A part of the name of a caller'),
    to: z.string().describe('A part of the name, service or zone of a proxy'),
    callerSize: size.describe('Callers in the answer, 100 if not said'),
    callerOffset: offset.describe('How many callers to pass over'),
    inboundSize: size.describe('Inbounds in the answer, 100 if not said'),
    inboundOffset: offset.describe('How many inbounds to pass over'),
  },
  answers: {
    200: z.strictObject({
      callers: z.strictObject({ total: count, items: z.array(caller) }),
      inbounds: z.strictObject({ total: count, items: z.array(inbound) }),
      verdicts: z.array(z.string().regex(/^[ADadp]*$/)).describe('A row for each of the callers'),
    }),
    ...UNCHANGED,
  },
  refusals: [404],
};

const MATRICES = { asked: 'the matrices', of: 'callers and inbounds', instead: 'ask for fewer callers or inbounds' };

/**
 * `GET /meshes/:mesh/_matrix`: who may call whom, a slice of it, in turns of the event loop; whoever asks is charged.
 * Where the mesh changes meanwhile, cells may be from before or after.
 */
export function addMatrixRoute(app: FastifyInstance, options: InspectOptions): void {
  const { plane } = options;
  const open = chargedAnswers(options, MATRICES);
  const answers = new WeakMap<MeshView, LRUCache<string, string>>();
  app.get('/meshes/:mesh/_matrix', described('Could not decide', operation), async (request, reply) => {
    const { mesh = '' } = request.params as Params;
    requireMesh(plane, mesh);
    const wanted = readSlice(request);
    const answer = open(request, reply);
    const view = await options.views(mesh);
    const kept =
      answers.get(view) ?? new LRUCache<string, string>({ maxSize: MOST_KEPT, sizeCalculation: (text, id) => text.length + id.length });
    answers.set(view, kept);
    // What the view does not say: what proxies were given, and whether anything is let in at all.
    const shut = options.proxies?.().flatMap((one) => (one.mesh === mesh && one.shut.length > 0 ? [[one.name, one.shut]] : []));
    const id = JSON.stringify([wanted, shut, isClosed(plane, options.sync !== undefined)]);
    const known = kept.get(id);
    if (known !== undefined) return tagged(reply, known);
    const text = JSON.stringify(await answer(answerMatrix(options, view, wanted)));
    kept.set(id, text);
    return tagged(reply, text);
  });
}

/** Characters of the answers about one state of a mesh that are kept: a page asks for the same again and again. */
const MOST_KEPT = 8 * 1024 * 1024;

/** What was refused, and what proxies were given, makes no revision: the tag is that of the answer. */
function tagged(reply: FastifyReply, text: string): string {
  void reply.header('etag', `"${hash('sha256', text).slice(0, 16)}"`).type('application/json; charset=utf-8');
  return text;
}

function* answerMatrix(options: InspectOptions, view: MeshView, { by, from, to, callers, inbounds }: WantedSlice): Parts<object> {
  const { plane, sync } = options;
  const rows = (yield* callersOf(view, by)).filter((one) => holds(textOf(one, plane), from));
  yield;
  const columns = (yield* inboundsOf(view)).filter((one) =>
    holds(`${restName(one.dataplane, plane.place)} ${one.service} ${one.dataplane.key.zone}`, to),
  );
  yield;
  const slice = { callers: sliceOf(rows, callers), inbounds: sliceOf(columns, inbounds) };
  const verdicts = yield* verdictMatrix({ view, shutAt: shutAt(options), closed: isClosed(plane, sync !== undefined), ...slice });
  return {
    callers: { total: rows.length, items: slice.callers.map((one) => describeCaller(one, plane)) },
    inbounds: { total: columns.length, items: slice.inbounds.map((one) => describeInbound(one, plane)) },
    verdicts,
  };
}

function describeCaller(one: MatrixCaller, plane: Plane) {
  const { kind, sans, dataplanes } = one;
  const services = kind === 'dataplanes' ? { services: servicesIn(dataplanes) } : {};
  return { kind, name: textOf(one, plane), sans, dataplanes: dataplanes.length, ...services };
}

function servicesIn(dataplanes: readonly Resource[]) {
  const all = dataplanes.flatMap((one) => servicesOfProxy(one).map((service) => ({ zone: one.key.zone, service })));
  return [...new Map(all.map((one) => [`${one.zone} ${one.service}`, one])).values()];
}

/** Proxies by their tags have several SANs: they are called as the first of them. */
function textOf({ name, sans, dataplanes: [first] }: MatrixCaller, { place }: Plane): string {
  return first && sans.length > 1 ? restName(first, place) : name;
}

function describeInbound(one: MatrixInbound, { place }: Plane) {
  const { dataplane, section, service, inbounds } = one;
  return {
    kri: formatKri(dataplane.key, section),
    dataplane: restName(dataplane, place),
    zone: dataplane.key.zone,
    service,
    inbound: section,
    protocol: inbounds.some(({ protocol }) => protocol === 'http') ? 'http' : 'tcp',
    enforced: isEnforced(one),
  };
}

function holds(text: string, part: string): boolean {
  return part === '' || text.toLowerCase().includes(part.toLowerCase());
}

interface WantedPart {
  readonly size: number;
  readonly offset: number;
}

function sliceOf<T>(all: readonly T[], { size: most, offset: first }: WantedPart): readonly T[] {
  return all.slice(first, first + most);
}

interface WantedSlice {
  readonly by: CallersBy;
  readonly from: string;
  readonly to: string;
  readonly callers: WantedPart;
  readonly inbounds: WantedPart;
}

const DEFAULT_SIZE = 100;

/** Throws `invalid`. */
function readSlice(request: FastifyRequest): WantedSlice {
  const { searchParams: query } = addressOf(request);
  const given = query.get('by') || 'all';
  const by = CALLERS_BY.find((known) => known === given);
  if (!by) throw invalid([{ field: 'by', reason: `${quote(given)} must be one of ${CALLERS_BY.join(', ')}` }]);
  const number = (name: string, shape: z.ZodType<number>, otherwise: number): number => {
    const text = query.get(name) || String(otherwise);
    const { data } = shape.safeParse(/^\d{1,9}$/.test(text) ? Number(text) : undefined);
    if (data === undefined)
      throw invalid([{ field: name, reason: `${quote(text)} must be a number${shape === size ? ' of 1 to 1000' : ''}` }]);
    return data;
  };
  const part = (name: string): WantedPart => ({
    size: number(`${name}Size`, size, DEFAULT_SIZE),
    offset: number(`${name}Offset`, offset, 0),
  });
  return { by, from: query.get('from') ?? '', to: query.get('to') ?? '', callers: part('caller'), inbounds: part('inbound') };
}
