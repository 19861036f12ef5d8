import { z } from 'zod';
import { anyObject, port, text } from './fields.ts';
import { BACKEND, targetRef, toRef } from './target-ref.ts';

const backendRef = targetRef(BACKEND, { weight: z.int().min(0).max(1_000_000).optional(), port: port.optional() }).meta({
  id: 'BackendRef',
});

/** Filters are carried as they are; a mirror's backend is a reference like any other, and is followed like one. */
const filter = z.looseObject({
  type: text,
  requestMirror: z.looseObject({ backendRef }).optional(),
});

/** `to[]` of a MeshHTTPRoute: `{targetRef, hostnames, rules: [{matches, default: {filters, backendRefs}}]}`. */
export const httpRouteItem = z.strictObject({
  targetRef: toRef,
  hostnames: z.array(text).optional(),
  rules: z
    .array(
      z.strictObject({
        matches: z.array(anyObject).optional(),
        default: z.strictObject({ filters: z.array(filter).optional(), backendRefs: z.array(backendRef).optional() }).optional(),
      }),
    )
    .optional(),
});

/** `to[]` of a MeshTCPRoute: `{targetRef, rules: [{default: {backendRefs}}]}`. */
export const tcpRouteItem = z.strictObject({
  targetRef: toRef,
  rules: z.array(z.strictObject({ default: z.strictObject({ backendRefs: z.array(backendRef).optional() }).optional() })).optional(),
});
