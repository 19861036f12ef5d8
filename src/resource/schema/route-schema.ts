import * as z from 'zod';
import { port, text } from './kind-fields.ts';
import { httpMatch } from './http-match.ts';
import { BACKEND } from './reference-kinds.ts';
import { targetRef, toRef } from './target-ref.ts';

const backendRef = targetRef(BACKEND, { weight: z.int().min(0).max(1_000_000).optional(), port: port.optional() }).meta({
  id: 'BackendRef',
});

/** Filters are carried as they are; a mirror's backend is a reference like any other, and is followed like one. */
const filter = z.looseObject({
  type: text,
  requestMirror: z.looseObject({ backendRef }).optional(),
});

/**
 * `to[]` of a MeshHTTPRoute: `{targetRef, hostnames, rules: [{matches, default: {filters, backendRefs}}]}`. Its matches
 * decide what permissions on the route are for, so they are checked to the leaf.
 */
export const httpRouteItem = z.strictObject({
  targetRef: toRef,
  hostnames: z.array(text).optional(),
  rules: z
    .array(
      z.strictObject({
        matches: z.array(httpMatch).min(1).optional(),
        default: z.strictObject({ filters: z.array(filter).optional(), backendRefs: z.array(backendRef).optional() }).optional(),
      }),
    )
    .optional(),
});

/**
 * Between services nothing looks at the host, so that host names would be believed to narrow a route and don't. As with
 * Kuma.
 */
export function hostnamesOnGateways(spec: RouteSpec, context: z.RefinementCtx): void {
  if (spec.targetRef?.kind === 'MeshGateway' || !Array.isArray(spec.to)) return;
  for (const [index, item] of spec.to.entries()) {
    if (!Array.isArray(item?.hostnames) || item.hostnames.length === 0) continue;
    context.addIssue({ code: 'custom', path: ['to', index, 'hostnames'], message: 'belongs to a route on a MeshGateway' });
  }
}

interface RouteSpec {
  readonly targetRef?: { readonly kind?: string | undefined } | undefined;
  readonly to?: unknown;
}

/** `to[]` of a MeshTCPRoute: `{targetRef, rules: [{default: {backendRefs}}]}`. */
export const tcpRouteItem = z.strictObject({
  targetRef: toRef,
  rules: z.array(z.strictObject({ default: z.strictObject({ backendRefs: z.array(backendRef).optional() }).optional() })).optional(),
});
