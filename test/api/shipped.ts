import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type DescribedRoute, openApiDocument } from '../../src/api/openapi/openapi-document.ts';
import { describedOf } from '../../src/api/openapi/openapi-routes.ts';
import { isGlobal } from '../../src/control/plane/plane.ts';
import { GLOBAL, type Place } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { zoneAccessOf } from '../harness/zone-access.ts';
import { apiOn, EAST, newApi } from './harness.ts';

const ROOT = new URL('../../', import.meta.url);

/** Where the OpenAPI document is shipped. `node scripts/openapi.ts` writes it. */
export const SHIPPED = fileURLToPath(new URL('docs/reference/openapi.json', ROOT));

/** An API with every route that a control plane of this place may have. */
export function wholeApi(scope: Scope, place: Place) {
  const proxyTokens = { issue: () => ({ token: 'token', nodeId: 'node', expires: '2027-01-01T00:00:00Z' }), revokeAll: () => {} };
  const { plane } = newApi(scope, place);
  const atZones = isGlobal(place) ? {} : { proxyTokens, proxies: () => [], zoneAccess: zoneAccessOf(plane) };
  return apiOn(scope, plane, undefined, '127.0.0.1', atZones);
}

/** The text of the shipped document: everything that a global or a zone serves. What only one of them does, says so. */
export async function shippedText(): Promise<string> {
  const scope = new Scope();
  try {
    const [atGlobal, atZone] = [GLOBAL, EAST].map((place) => describedOf(wholeApi(scope, place).app.served));
    assert.ok(atGlobal && atZone);
    const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as { version: string };
    return `${JSON.stringify(openApiDocument(together(atGlobal, atZone), version), undefined, 1)}\n`;
  } finally {
    await scope.close();
  }
}

function together(atGlobal: readonly DescribedRoute[], atZone: readonly DescribedRoute[]): DescribedRoute[] {
  const without = (routes: readonly DescribedRoute[], others: readonly DescribedRoute[]) =>
    routes.filter(({ method, url }) => !others.some((other) => other.method === method && other.url === url));
  const both = atGlobal.filter((route) => !without(atGlobal, atZone).includes(route));
  return [
    ...both,
    ...without(atGlobal, atZone).map((route) => ({ ...route, servedBy: 'global' as const })),
    ...without(atZone, atGlobal).map((route) => ({ ...route, servedBy: 'zone' as const })),
  ];
}
