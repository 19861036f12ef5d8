import type { FastifyInstance, HTTPMethods } from 'fastify';
import { errorBody, METHOD_NOT_ALLOWED } from './errors.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Answers 405, with the methods that there are, on every path that `addRoutes` adds: Fastify would say that the path is unknown. */
export function answerWrongMethods(app: FastifyInstance, addRoutes: () => void): void {
  const served = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = served.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    served.set(url, methods);
  });
  addRoutes();
  for (const [url, methods] of [...served]) refuseOthers(app, url, methods);
}

function refuseOthers(app: FastifyInstance, url: string, served: ReadonlySet<string>): void {
  const allow = METHODS.filter((method) => served.has(method)).join(', ');
  const others: HTTPMethods[] = METHODS.filter((method) => !served.has(method));
  app.route({
    url,
    method: others,
    config: { refused: true },
    // Before the body is looked at: whatever it is, it is not wanted.
    onRequest: (request, reply) => {
      void reply
        .code(405)
        .header('allow', allow)
        .send(errorBody(405, METHOD_NOT_ALLOWED, `${request.method} is not served here, only ${allow}`, { code: 'invalid' }));
    },
    handler: () => undefined,
  });
}
