import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import fc from 'fast-check';
import { evaluate } from '../../src/policy/decide/evaluate-permissions.ts';
import type { Action } from '../../src/resource/permission-actions.ts';
import type { Permission } from '../../src/policy/decide/read-permissions.ts';
import { readRequest } from '../../src/policy/decide/read-request.ts';
import { type CompiledRbac, InboundRbac } from '../../src/policy/rbac/compile-rbac.ts';
import { permissions, sansOfClients } from '../harness/rbac-samples.ts';
import type { RbacForm } from '../../src/policy/rbac/rbac-side.ts';
import { bootstrap } from '../../src/xds/envoy/bootstrap.ts';
import { authenticator } from '../../src/xds/server/authenticate-caller.ts';
import { generate } from '../../src/xds/envoy/generate-snapshot.ts';
import { type InboundInput, namesOf } from '../../src/xds/envoy/inbound-input.ts';
import { startXds } from '../../src/xds/server/xds-server.ts';
import { issueToken } from '../../src/xds/server/proxy-token.ts';
import { startHttpApplication, startTcpApplication } from '../harness/application.ts';
import { httpCaller, tcpCaller } from '../harness/caller.ts';
import { type IssuedCertificate, createAuthority } from '../harness/certificates.ts';
import { type Envoy, freePorts, startEnvoy } from '../harness/envoy.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';

/**
 * A real Envoy decides as the evaluator does: generated permissions, compiled, and generated requests over real mTLS. A
 * long run: MERIDIAN_AGREEMENT_REQUESTS=20000, of other versions MERIDIAN_AGREEMENT_ENVOY=1.36.4, again what failed
 * MERIDIAN_AGREEMENT_SEED=<seed>.
 */
const REQUESTS = Number(process.env.MERIDIAN_AGREEMENT_REQUESTS ?? 400);
const SEED = Number(process.env.MERIDIAN_AGREEMENT_SEED ?? 1);
const VERSION = process.env.MERIDIAN_AGREEMENT_ENVOY;

const SETS = 12;
const REQUESTS_PER_INBOUND = 12;
/** Each set on HTTP with its routes, alone on HTTP, alone as a list, and on TCP. */
const KINDS = ['http', 'alone', 'list', 'tcp'] as const;
const ROUND = SETS * KINDS.length * REQUESTS_PER_INBOUND;

const PROXY = { mesh: 'default', name: 'backend-1' };
const SECRET = randomBytes(32);

/** One inbound of the proxy, and what was compiled for it. */
interface CompiledInbound {
  readonly kind: (typeof KINDS)[number];
  readonly permissions: readonly Permission[];
  readonly inbound: InboundInput;
}

interface AskedRequest {
  readonly client: number;
  readonly method: string;
  readonly path: string;
}

const PATHS = ['/', '/?/v2', '/v2', '/v2/', '/v2?x', '/v2/x', '/v2/x/y?z', '/v22', '/v2x', '/admin', '/admin/x', '/v', '/x/v2'];
const ODD_PATHS = ['//v2', '/x/../v2', '/v2/../admin', '/./admin', '/%76%32', '/v2//x', '/v2/%78', '/%61dmin?a', '/v2/.', '/admin/..'];
const asked = fc.record({
  client: fc.nat(),
  method: fc.constantFrom('GET', 'POST', 'PUT'),
  path: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...PATHS) }, fc.constantFrom(...ODD_PATHS)),
});
const set = fc.oneof(...(['spiffe', 'from', 'mixed'] as const).flatMap((shape) => [permissions(shape, false), permissions(shape, true)]));

/** Only clients with a SPIFFE ID get as far as the RBAC. */
const clients = fc.sample(sansOfClients, { seed: 7, numRuns: 60 }).filter((sans) => sans.some((san) => san.startsWith('spiffe://')));

for (let round = 0; round * ROUND < REQUESTS; round++) {
  const seed = SEED + round;
  it(`Envoy agrees, seed ${seed}`, async (test) => {
    const scope = new Scope();
    try {
      test.diagnostic(await play(scope, seed));
    } finally {
      await scope.close();
    }
  });
}

async function play(scope: Scope, seed: number): Promise<string> {
  const folder = scope.folder();
  const authority = await createAuthority(folder);
  const files = await Promise.all(clients.map((sans, index) => authority.issue(`client-${index}`, sans)));
  const cases = await toCases(scope, fc.sample(set, { seed, numRuns: SETS }));
  const envoy = await serve(
    scope,
    cases.map(({ inbound }) => inbound),
    await authority.issue('backend', ['spiffe://default/backend']),
  );
  const counts = { Allow: 0, Deny: 0 };
  for (const [index, one] of cases.entries()) {
    for (const request of requestsFor(one, seed * 1_000 + index)) {
      const expected = verdicts(one, request);
      const actual = await ask(scope, envoy, one, request, files);
      const { client, ...rest } = request;
      const why = { seed, kind: one.kind, request: { sans: sansOf(client), ...rest }, permissions: one.permissions };
      assert.deepEqual(actual, expected, JSON.stringify(why));
      counts[expected.enforced]++;
    }
  }
  return `${counts.Allow} allowed, ${counts.Deny} denied, shadow verdicts too`;
}

/** Half of them are to be allowed, if so many can be found. */
function requestsFor(one: CompiledInbound, seed: number): AskedRequest[] {
  const found = fc.sample(asked, { seed, numRuns: REQUESTS_PER_INBOUND * 10 });
  const allowed = found.filter((request) => verdicts(one, request).enforced === 'Allow').slice(0, REQUESTS_PER_INBOUND / 2);
  return [...allowed, ...found.filter((request) => !allowed.includes(request))].slice(0, REQUESTS_PER_INBOUND);
}

async function toCases(scope: Scope, sets: readonly (readonly Permission[])[]): Promise<CompiledInbound[]> {
  const [http, tcp] = [await startHttpApplication(scope), await startTcpApplication(scope)];
  const ports = await listenerPorts(sets.length * KINDS.length);
  return sets.flatMap((given, index) =>
    KINDS.map((kind): CompiledInbound => {
      const name = `${kind}-${index}`;
      const compiled = compile(given, kind, name);
      const { filter, routes } = kind === 'http' ? compiled : { filter: compiled.alone, routes: [] };
      const servicePort = kind === 'tcp' ? tcp : http;
      const common = { name, address: '127.0.0.1', port: ports.pop() ?? 0, servicePort, plaintextToo: false };
      const inbound: InboundInput =
        kind === 'tcp'
          ? { ...common, protocol: 'tcp', rbac: { network: filter } }
          : { ...common, protocol: 'http', rbac: { http: filter }, routes };
      return { kind, permissions: given, inbound };
    }),
  );
}

/** Below those that outgoing connections take, which are many here: one would be gone before Envoy listens there. */
async function listenerPorts(count: number): Promise<number[]> {
  const first = 10_000 + (((await freePorts(1))[0] ?? 0) % 20_000);
  return Array.from({ length: count }, (_, index) => first + index);
}

function compile(given: readonly Permission[], kind: CompiledInbound['kind'], name: string): CompiledRbac {
  const form: RbacForm = kind === 'list' ? 'list' : 'trees';
  return new InboundRbac({ protocol: kind === 'tcp' ? 'tcp' : 'http', form, statPrefix: `tcp.${name}.` }).compile(given);
}

async function serve(scope: Scope, inbounds: readonly InboundInput[], own: IssuedCertificate): Promise<Envoy> {
  const [port = 0] = await freePorts(1);
  const xds = await startXds({
    address: '127.0.0.1',
    port,
    authenticate: authenticator(SECRET, () => Date.now() / 1000),
    snapshotOf: () => generate({ inbounds, certificates: own }),
    report: () => {},
  });
  scope.add(() => xds.close());
  const token = issueToken(SECRET, PROXY, Date.now() / 1000 + 3600);
  const envoy = await startEnvoy(scope, bootstrap({ ...PROXY, xdsAddress: `127.0.0.1:${port}`, token, adminPort: 0 }), VERSION);
  const refused = () => xds.view(PROXY)?.streams.flatMap(({ types }) => types.flatMap((type) => type.refused)) ?? [];
  await until('all listeners are there', async () => {
    assert.ok(envoy.running(), envoy.lines.slice(-5).join('\n'));
    assert.deepEqual(refused(), []);
    if ((await envoy.stat('listener_manager.workers_started')) !== 1) return false;
    return (await envoy.stat('listener_manager.total_listeners_active')) === inbounds.length;
  });
  return envoy;
}

interface Verdicts {
  readonly enforced: Action;
  readonly shadow: Action;
}

function sansOf(client: number): readonly string[] {
  return clients[client % clients.length] ?? [];
}

function verdicts({ permissions: given, inbound }: CompiledInbound, { client, method, path }: AskedRequest): Verdicts {
  const protocol = inbound.protocol === 'tcp' ? 'tcp' : 'http';
  const subject = readRequest({ spiffeIds: sansOf(client), method, path }, protocol, 'default');
  return { enforced: evaluate(given, subject, 'enforced').action, shadow: evaluate(given, subject, 'shadow').action };
}

async function ask(
  scope: Scope,
  envoy: Envoy,
  one: CompiledInbound,
  request: AskedRequest,
  files: readonly IssuedCertificate[],
): Promise<Verdicts> {
  const certificate = files[request.client % files.length];
  assert.ok(certificate);
  const before = await shadowCounts(envoy, one);
  const enforced = await answer(scope, one.inbound, certificate, request);
  const after = await until('Envoy counted it', async () => {
    const now = await shadowCounts(envoy, one);
    return now.allowed + now.denied === before.allowed + before.denied + 1 ? now : undefined;
  });
  return { enforced, shadow: after.allowed > before.allowed ? 'Allow' : 'Deny' };
}

async function answer(
  scope: Scope,
  { protocol, port }: InboundInput,
  files: IssuedCertificate,
  { method, path }: AskedRequest,
): Promise<Action> {
  if (protocol === 'tcp') return (await tcpCaller(scope, port, files).say('x')) === 'x' ? 'Allow' : 'Deny';
  const { status, body } = await httpCaller(scope, port, files).ask({ method, path });
  assert.ok(status === 200 || status === 403, `${status} ${body}`);
  return status === 200 ? 'Allow' : 'Deny';
}

/** Envoy 1.36 counts by the name of what was discovered, later ones by that of the listener. */
async function shadowCounts(envoy: Envoy, { kind, inbound }: CompiledInbound): Promise<{ allowed: number; denied: number }> {
  const { stats, rbac } = namesOf(inbound);
  const prefix = kind === 'tcp' ? `^tcp\\.${inbound.name}` : `(${stats}|${rbac})`;
  const text = await envoy.admin(`/stats?filter=${encodeURIComponent(`${prefix}\\.rbac\\.shadow_`)}`);
  const value = (name: string): number => Number(new RegExp(`rbac\\.shadow_${name}: (\\d+)`).exec(text)?.[1] ?? 0);
  return { allowed: value('allowed'), denied: value('denied') };
}
