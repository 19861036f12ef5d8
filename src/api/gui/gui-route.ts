import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { MeridianError } from '../../errors.ts';
import type { ApiOptions, PageFiles } from '../api-options.ts';
import { described, type Operation } from '../openapi/operation.ts';

/** All that it is made of (scripts/page.mjs). */
const FILES = [
  { url: '/gui', name: 'page.html', id: 'getGui', contentType: 'text/html', what: 'The web page' },
  { url: '/gui/page.js', name: 'page.js', id: 'getGuiScript', contentType: 'text/javascript', what: "The web page's script" },
  { url: '/gui/page.css', name: 'page.css', id: 'getGuiStyle', contentType: 'text/css', what: "The web page's style" },
  { url: '/gui/icon.svg', name: 'icon.svg', id: 'getGuiIcon', contentType: 'image/svg+xml', what: "The web page's icon" },
] as const;

/**
 * The page runs its own script, with its own style, and talks to this control plane alone; nobody frames it, and no
 * text of a resource becomes markup.
 */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Reads the built page once: a build meanwhile mixes no two of them. undefined: it was not built. */
export function readPage(folder: string): PageFiles | undefined {
  if (!existsSync(folder)) return undefined;
  return new Map(FILES.map(({ name }) => [name, readFileSync(join(folder, name))]));
}

/** `GET /gui` and its files. They hold nothing secret: what the page shows it asks the API for, as any client. */
export function addGuiRoutes(app: FastifyInstance, { page }: ApiOptions): void {
  for (const { url, name, id, contentType, what } of FILES) {
    const operation: Operation = {
      id,
      summary: what,
      tag: 'Control plane',
      answers: { 200: { contentType, description: what } },
      refusals: [404],
    };
    app.get(url, described('Could not show the web page', operation), (_request, reply) => {
      const file = page?.get(name);
      if (file) return reply.headers(HEADERS).type(`${contentType}; charset=utf-8`).send(file);
      throw new MeridianError('not_found', 'the web page was not built', { hint: 'build it with `npm run build`, and start again' });
    });
  }
}
