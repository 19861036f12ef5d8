import type { FastifyInstance, RouteOptions } from 'fastify';
import { stringify } from 'yaml';
import type { ApiOptions } from '../api-options.ts';
import { type DescribedRoute, openApiDocument } from './openapi-document.ts';
import { described } from './operation.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route, described or not. */
    served: readonly RouteOptions[];
  }
}

const FAILED = 'Could not describe the API';

/** `GET /openapi.json` and `/openapi.yaml`: the routes of this control plane that are added after it. */
export function addOpenApiRoutes(app: FastifyInstance, { info }: ApiOptions): void {
  const served: RouteOptions[] = [];
  app.decorate('served', served);
  app.addHook('onRoute', (route) => void served.push(route));
  const document = once(() => openApiDocument(describedOf(served), info.version));
  const json = once(() => JSON.stringify(document()));
  const yaml = once(() => stringify(document(), { aliasDuplicateObjects: false }));
  serve(app, 'json', 'application/json', json);
  serve(app, 'yaml', 'application/yaml', yaml);
}

function serve(app: FastifyInstance, form: string, contentType: string, text: () => string): void {
  const operation = described(FAILED, {
    id: `getOpenApi${form === 'json' ? 'Json' : 'Yaml'}`,
    summary: 'This document',
    tag: 'Control plane',
    answers: { 200: { contentType, description: 'An OpenAPI 3.1 document' } },
  });
  app.get(`/openapi.${form}`, operation, (_request, reply) => reply.type(contentType).send(text()));
}

/** The routes of the document. */
export function describedOf(served: readonly RouteOptions[]): DescribedRoute[] {
  return served.flatMap(({ method, url, config }) => {
    const operation = config?.operation;
    return operation ? [method].flat().map((one) => ({ method: one, url, operation })) : [];
  });
}

/** It is made when it is first asked for: most processes are never asked. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
