import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { errorBody, METHOD_NOT_ALLOWED } from './error-answers.ts';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** What is served at a pattern of Fastify's, like `/zones/:name`. */
interface ServedPath {
  readonly paths: RegExp;
  readonly methods: Set<HTTPMethods>;
}

/**
 * Answers 405, with the methods that there are, on every path that `addRoutes` adds: Fastify would say that the path is
 * unknown. It answers before the body is read. It does not add a route for each missing method: those would be five of
 * six routes, and most of the time of a start.
 *
 *   GET /zones/_overview; GET, PUT and DELETE /zones/:name
 *   POST /zones/a          no route of Fastify's: the closest of these patterns says what there is
 *   PUT /zones/_overview   Fastify would take it for a zone of this name: a route says that it isn't
 */
export function answerWrongMethods(app: FastifyInstance, addRoutes: () => void): void {
  const served = new Map<string, ServedPath>();
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.refused) return;
    const at = served.get(url) ?? { paths: anyOf([url]), methods: new Set() };
    for (const one of [method].flat()) at.methods.add(one as HTTPMethods);
    served.set(url, at);
  });
  addRoutes();
  for (const [url, { methods }, others] of hiding([...served])) refuseAt(app, url, others, methods);
  const closestFirst = [...served].sort(([a], [b]) => (rank(a) < rank(b) ? -1 : 1)).map(([, at]) => at);
  app.addHook('onRequest', (request, reply, done) => {
    const path = request.is404 ? pathOf(request) : '';
    const at = path === '' ? undefined : closestFirst.find(({ paths }) => paths.test(path));
    if (at) refuse(request, reply, at.methods);
    else done();
  });
}

/** The patterns whose paths another one would take for itself by methods that they haven't, with these methods. */
function hiding(
  served: readonly (readonly [url: string, at: ServedPath])[],
): (readonly [url: string, at: ServedPath, others: HTTPMethods[]])[] {
  const takers = METHODS.map((method) => [method, anyOf(served.flatMap(([url, at]) => (at.methods.has(method) ? [url] : [])))] as const);
  return served.flatMap(([url, at]) => {
    const others = takers.flatMap(([method, taker]) => (!at.methods.has(method) && taker.test(url) ? [method] : []));
    return others.length === 0 ? [] : [[url, at, others] as const];
  });
}

/** In: patterns of Fastify's. Out: for the paths of any of them. */
function anyOf(urls: readonly string[]): RegExp {
  return new RegExp(`^(?:${urls.map((url) => url.replaceAll('+', '\\+').replaceAll(/:[^/]+/g, '[^/]*')).join('|')})$`);
}

/** In the order in which Fastify looks: fixed parts before parameters. */
function rank(url: string): string {
  return url.replaceAll(/:[^/]+/g, '\uffff');
}

/** As Fastify reads it: without the query and a slash at the end. '' when it is not well formed. */
function pathOf({ url }: FastifyRequest): string {
  const [path = ''] = url.split(/[?#]/, 1);
  try {
    return decodeURI(path.length > 1 ? path.replace(/\/$/, '') : path);
  } catch {
    return '';
  }
}

function refuseAt(app: FastifyInstance, url: string, method: HTTPMethods[], served: ReadonlySet<HTTPMethods>): void {
  app.route({
    url,
    method,
    config: { refused: true },
    onRequest: (request, reply) => refuse(request, reply, served),
    handler: () => undefined,
  });
}

function refuse(request: FastifyRequest, reply: FastifyReply, served: ReadonlySet<HTTPMethods>): void {
  // HEAD is served where GET is (read-answers.ts).
  const allow = METHODS.filter((method) => served.has(method === 'HEAD' ? 'GET' : method)).join(', ');
  const detail = `${request.method} is not served here, only ${allow}`;
  void reply
    .code(405)
    .header('allow', allow)
    .send(errorBody(405, METHOD_NOT_ALLOWED, detail, { code: 'invalid' }));
}
