import type { FastifyRequest } from 'fastify';
import { MeridianError } from '../../errors.ts';
import { hasRole } from '../../policy/policy-role.ts';
import { KINDS } from '../../resource/kinds.ts';
import type { Place } from '../../resource/resource.ts';
import { queryOf } from '../http/paged-collection.ts';
import { EMPTY_LISTS, FOREIGN_RESOURCES } from '../resources/foreign-kinds.ts';
import type { Principal, Right } from './principal.ts';

/**
 * The right that each route needs, those of kinds aside. The keys are Fastify's patterns. A route that is not listed is
 * for admins alone.
 */
const ROUTES: Readonly<Record<string, Right>> = {
  // Clients look what is there before they show a token.
  'GET /': 'anyone',
  'GET /openapi.json': 'anyone',
  'GET /openapi.yaml': 'anyone',
  'GET /gui': 'anyone',
  'GET /gui/page.js': 'anyone',
  'GET /gui/page.css': 'anyone',
  'GET /gui/icon.svg': 'anyone',
  'GET /_resources': 'read',
  'GET /policies': 'read',
  'GET /config': 'read',
  'GET /_kri/:kri': 'read',
  'GET /_explicit/:kri': 'read',
  'GET /_ledger': 'read',
  'GET /_sync': 'read',
  'GET /_turns': 'read',
  'GET /_watch': 'read',
  'GET /_audit': 'admin',
  'GET /_proxies': 'read',
  'GET /meshes/:mesh/dataplanes/:name/_proxy': 'read',
  'GET /zones/_overview': 'read',
  'GET /zones+insights': 'read',
  'GET /zones+insights/:name': 'read',
  'GET /zones/:name/_overview': 'read',
  'GET /who-am-i': 'read',
  'GET /mesh-insights': 'read',
  'GET /mesh-insights/:name': 'read',
  'GET /service-insights': 'read',
  'GET /meshes/:mesh/service-insights': 'read',
  'GET /meshes/:mesh/service-insights/:name': 'read',
  'GET /global-insight': 'read',
  'GET /dataplanes+insights': 'read',
  'GET /meshes/:mesh/dataplanes+insights': 'read',
  'GET /meshes/:mesh/dataplanes+insights/:name': 'read',
  'GET /dataplanes/_overview': 'read',
  'GET /meshes/:mesh/dataplanes/_overview': 'read',
  'GET /meshes/:mesh/dataplanes/:name/_overview': 'read',
  'GET /meshes/:mesh/dataplanes/:name/_layout': 'read',
  'GET /meshes/:mesh/dataplanes/:name/_policies': 'read',
  'GET /meshes/:mesh/dataplanes/:name/_rules': 'read',
  'GET /meshes/:mesh/dataplanes/:name/_inbounds/:kri/_policies': 'read',
  'GET /meshes/:mesh/dataplanes/:name/policies': 'read',
  'GET /meshes/:mesh/_matrix': 'read',
  'POST /can': 'read',
  'POST /can/many': 'read',
  'POST /can/requests': 'read',
  'POST /access': 'read',
  'POST /_without': 'read',
  'POST /access/connect': 'operate',
  'POST /access/consume': 'operate',
  'POST /apply': 'operate',
  'POST /_proxy-tokens': 'operate',
  'DELETE /_proxy-tokens': 'operate',
  'POST /_recover': 'admin',
  'GET /tokens': 'admin',
  'POST /tokens': 'admin',
  'POST /tokens/user': 'admin',
  'POST /tokens/keys': 'admin',
  'DELETE /tokens/:id': 'admin',
};

/** Those that `addResourceRoutes` makes for every kind, the proxies of a policy, and whether it is enforced. */
function kindRoutes(): (readonly [route: string, right: Right])[] {
  return KINDS.flatMap((kind) => {
    const { path, scope, policy } = kind;
    const base = scope === 'Mesh' ? `/meshes/:mesh/${path}` : `/${path}`;
    const one = `${base}/:name`;
    const proxies = policy ? [`${one}/_resources/dataplanes`, `${one}/dataplanes`] : [];
    const enforcement = hasRole(kind) ? [`${one}/_enforcement`] : [];
    const read = [`/${path}`, base, one, ...proxies, ...enforcement].map((url) => [`GET ${url}`, 'read'] as const);
    return [...read, [`PUT ${one}`, 'operate'] as const, [`PATCH ${one}`, 'operate'] as const, [`DELETE ${one}`, 'operate'] as const];
  });
}

/** Kinds of Kuma that are not here: nothing is shown, and nothing written. */
function foreignRoutes(): (readonly [route: string, right: Right])[] {
  const shown = [...EMPTY_LISTS, ...FOREIGN_RESOURCES].map((url) => [`GET ${url}`, 'read'] as const);
  return [...shown, ...FOREIGN_RESOURCES.flatMap((url) => ['PUT', 'DELETE'].map((method) => [`${method} ${url}`, 'operate'] as const))];
}

/** Every route that has a right, as `METHOD /pattern`. */
export const RIGHTS: ReadonlyMap<string, Right> = new Map([...kindRoutes(), ...foreignRoutes(), ...Object.entries(ROUTES)]);

/** What a request asks for. What changes nothing is `read`: a dry run, and what is answered 404 or 405 anyway. */
export function rightOf(request: FastifyRequest): Right {
  const { url, config } = request.routeOptions;
  if (url === undefined || config.refused) return 'read';
  if (url === '/apply' && queryOf(request).get('dryRun') === 'true') return 'read';
  return RIGHTS.get(`${request.method} ${url}`) ?? 'admin';
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route is there to say 405. */
    refused?: true;
  }
}

/** Whether somebody has a right. */
export function mayAct({ role, zone }: Pick<Principal, 'role' | 'zone'>, right: Right, place: Place): boolean {
  switch (role) {
    case 'admin':
      return true;
    case 'zone-operator':
      // A zone operator's zone is never '', global's.
      return IS_READ[right] || (right === 'operate' && zone === place.zone);
    case 'read-only':
      return IS_READ[right];
  }
}

/** Whether every principal has a right. */
const IS_READ: Readonly<Record<Right, boolean>> = { anyone: true, read: true, operate: false, admin: false };

/** Throws `forbidden`, with the role that is needed. */
export function requireRight(principal: Principal, right: Right, place: Place): void {
  if (mayAct(principal, right, place)) return;
  const { name, role, zone } = principal;
  const operator = right === 'operate' && place.zone !== '' ? `, or zone-operator of zone ${place.zone}` : '';
  const own = role === 'zone-operator' ? `${role} of zone ${zone}` : role;
  throw new MeridianError('forbidden', `this needs the role admin${operator}: the token of ${name} is ${own}`);
}
