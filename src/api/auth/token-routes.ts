import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import type { Place } from '../../resource/resource.ts';
import { about } from '../audit/audit-record.ts';
import { parseJson, textOf } from '../http/request-bodies.ts';
import { addressOf, collection, paging } from '../http/paged-collection.ts';
import { described } from '../openapi/operation.ts';
import { PAGING } from '../openapi/parameters.ts';
import { listOf, time } from '../openapi/common-shapes.ts';
import { readKeyOrder, readTokenOrder, readUserOrder } from './token-orders.ts';
import { principalOf, ROLES } from './principal.ts';
import type { TokenRecord } from './token-records.ts';
import type { Tokens } from './api-tokens.ts';
import { VALID_FOR } from './valid-for.ts';

const METADATA = {
  id: z.string().describe('What it is revoked by; not a secret'),
  name: z.string(),
  role: z.enum(ROLES),
  zone: z.string().optional().describe('Of a zone operator alone'),
  issued: time,
  expires: time,
  issuedBy: z.string(),
};
const metadata = z.strictObject({ ...METADATA, revoked: time.optional() }).meta({ id: 'TokenMetadata' });
const issuedShape = z.strictObject({ ...METADATA, token: z.string().describe('Shown this once') }).meta({ id: 'IssuedToken' });

const name = z.string().min(1).max(128);
const validFor = z.string().describe(`How long it holds: ${VALID_FOR}`);
const order = z.strictObject({ name, role: z.enum(ROLES), zone: z.string().optional(), validFor }).meta({ id: 'TokenOrder' });
const userOrder = z.strictObject({ name, groups: z.array(z.string()).nullable().optional(), validFor }).meta({ id: 'UserTokenOrder' });
const keyOrder = z.strictObject({ revoke: z.boolean().optional().describe('No token issued before holds any more') });

const tag = 'Security';
const NO_TOKEN = 'Could not make a token';

const ISSUE = described(NO_TOKEN, {
  id: 'issueToken',
  tag,
  summary: 'Make a token',
  body: order,
  answers: { 201: issuedShape },
  refusals: [409],
});
const ISSUE_USER = described(NO_TOKEN, {
  id: 'issueUserToken',
  tag,
  summary: "Make a token as Kuma's clients ask for it",
  description: '`mesh-system:admin` makes an admin, `meridian:zone-operator:<zone>` a zone operator; any other group may read.',
  body: userOrder,
  answers: { 200: { contentType: 'text/plain', description: 'The token' } },
  refusals: [409],
});
const LIST = described('Could not retrieve tokens', {
  id: 'listTokens',
  tag,
  summary: 'List the tokens that have not expired, never themselves',
  query: PAGING,
  answers: { 200: listOf(metadata) },
});
const REVOKE = described('Could not revoke a token', {
  id: 'revokeToken',
  tag,
  summary: 'Revoke a token, at once',
  answers: { 200: metadata },
});
const ROTATE = described('Could not change the key', {
  id: 'rotateTokenKey',
  tag,
  summary: 'Sign tokens with another key from now on',
  body: keyOrder,
  answers: { 200: z.strictObject({ kid: z.string() }) },
});

/**
 * Routes to issue tokens, list them (never the tokens themselves), revoke them and change their key. For admins only.
 */
export function addTokenRoutes(app: FastifyInstance, tokens: Tokens, place: Place): void {
  app.post('/tokens', ISSUE, async (request, reply) => {
    const wanted = readTokenOrder(parseJson(textOf(request)), place);
    about(request, 'Token', wanted.name);
    const { token, ...record } = await tokens.issue({ ...wanted, issuedBy: principalOf(request).name });
    return reply.code(201).send({ ...describe(record), token });
  });
  app.post('/tokens/user', ISSUE_USER, async (request, reply) => {
    const wanted = readUserOrder(parseJson(textOf(request)), place);
    about(request, 'Token', wanted.name);
    const { token } = await tokens.issue({ ...wanted, issuedBy: principalOf(request).name });
    return reply.type('text/plain').send(token);
  });
  app.get('/tokens', LIST, (request) => {
    const all = tokens.list();
    const { offset, size } = paging(addressOf(request).searchParams);
    return collection(request, all.length, all.slice(offset, offset + size).map(describe));
  });
  app.delete<{ Params: { id: string } }>('/tokens/:id', REVOKE, async ({ params: { id } }) => describe(await tokens.revoke(id)));
  app.post('/tokens/keys', ROTATE, async (request) => ({ kid: await tokens.rotate(readKeyOrder(parseJson(textOf(request))).revoke) }));
}

function describe({ id, name: called, role, zone, issued, expires, issuedBy, revoked }: TokenRecord) {
  return {
    id,
    name: called,
    role,
    ...(zone === undefined ? {} : { zone }),
    issued: rfc3339(issued),
    expires: rfc3339(expires),
    issuedBy,
    ...(revoked === undefined ? {} : { revoked: rfc3339(revoked) }),
  };
}

function rfc3339(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
