import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, it } from 'node:test';
import fc from 'fast-check';
import { evaluate } from '../../src/policy/decide/evaluate-permissions.ts';
import type { Permission } from '../../src/policy/decide/read-permissions.ts';
import { readRequest } from '../../src/policy/decide/read-request.ts';
import { whyUntrusted } from '../../src/policy/gateway/trusted-domains.ts';
import { InboundRbac } from '../../src/policy/rbac/compile-rbac.ts';
import { bootstrap } from '../../src/xds/envoy/bootstrap.ts';
import { generate } from '../../src/xds/envoy/generate-snapshot.ts';
import type { GatewayPort } from '../../src/xds/gateway/gateway-input.ts';
import { authenticator } from '../../src/xds/server/authenticate-caller.ts';
import { issueToken } from '../../src/xds/server/proxy-token.ts';
import { startXds } from '../../src/xds/server/xds-server.ts';
import { httpCaller } from '../harness/caller.ts';
import { createAuthority } from '../harness/certificates.ts';
import { freePorts, startEnvoy } from '../harness/envoy.ts';
import { permissions, sansOfClients } from '../harness/rbac-samples.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';

/**
 * A real Envoy decides at a gateway's listener as the evaluator does: generated permissions, one hostname for each set,
 * and generated callers over real mTLS, some of whom no trusted CA speaks for. Another run:
 * MERIDIAN_AGREEMENT_SEED=<seed>.
 */
const SEED = Number(process.env.MERIDIAN_AGREEMENT_SEED ?? 1);
const [SETS, REQUESTS] = [24, 300];
/** How many of each verdict are asked of a set, if so many are found. */
const EACH = 4;
const PROXY = { mesh: 'default', name: 'edge-1' };
const SECRET = randomBytes(32);
const TRUSTED = ['default', 'default.evil'];
const PATHS = ['/', '/v2', '/v2/', '/v2/x', '/v22', '/admin', '//v2', '/x/../v2', '/%76%32', '/v2/a!b', '/v2/a%21b'];

function verdict(given: readonly Permission[], sans: readonly string[], method: string, path: string): string {
  const trusted = TRUSTED.map((domain) => ({ domain, bundle: undefined }));
  if (whyUntrusted(trusted, sans) !== undefined) return 'closed';
  const subject = readRequest({ spiffeIds: sans, method, path }, 'http', 'default');
  return evaluate(given, subject, 'enforced').action === 'Allow' ? 'allowed' : 'denied';
}

const scope = new Scope();
after(() => scope.close());

it(`Envoy agrees at a gateway, seed ${SEED}`, async (test) => {
  const [folder, [port = 0, xdsPort = 0]] = [scope.folder(), await freePorts(2)];
  const authority = await createAuthority(folder);
  const own = await authority.issue('edge', ['spiffe://default/edge']);
  const clients = fc.sample(sansOfClients, { seed: 7, numRuns: 40 });
  const files = await Promise.all(clients.map((sans, index) => authority.issue(`client-${index}`, sans)));
  const shape = fc.oneof(...(['spiffe', 'from', 'mixed'] as const).flatMap((kind) => [permissions(kind, false), permissions(kind, true)]));
  const sets = fc.sample(shape, { seed: SEED, numRuns: SETS });
  const hosts = sets.map((given, index) => ({
    hostname: `set-${index}.example`,
    rbac: new InboundRbac({ protocol: 'http', form: 'trees', statPrefix: '' }).compile(given).alone,
    anybody: false,
    rules: [],
  }));
  const entry: GatewayPort['entry'] = { kind: 'mesh', trusted: TRUSTED.map((domain) => ({ domain, file: own.ca })) };
  const ports: GatewayPort[] = [{ address: '127.0.0.1', port, entry, hosts, certificates: own }];
  const xds = await startXds({
    address: '127.0.0.1',
    port: xdsPort,
    authenticate: authenticator(SECRET, () => Date.now() / 1000),
    snapshotOf: () => generate({ inbounds: [], ports, certificates: own }),
    report: () => {},
  });
  scope.add(() => xds.close());
  const token = issueToken(SECRET, PROXY, Date.now() / 1000 + 3600);
  const envoy = await startEnvoy(scope, bootstrap({ ...PROXY, xdsAddress: `127.0.0.1:${xdsPort}`, token, adminPort: 0 }));
  await until('it listens', async () => {
    assert.deepEqual(xds.view(PROXY)?.streams.flatMap(({ types }) => types.flatMap(({ refused }) => refused)) ?? [], []);
    return (
      (await envoy.stat('listener_manager.total_listeners_active')) === 1 && (await envoy.stat('listener_manager.workers_started')) === 1
    );
  });
  const counts: Record<string, number> = { allowed: 0, denied: 0, closed: 0 };
  for (const [index, given] of sets.entries()) {
    const asked = fc.sample(fc.tuple(fc.nat(clients.length - 1), fc.constantFrom('GET', 'POST'), fc.constantFrom(...PATHS)), {
      seed: SEED * 1000 + index,
      numRuns: REQUESTS,
    });
    const left: Record<string, number> = { allowed: EACH, denied: EACH, closed: 1 };
    for (const [client, method, path] of asked) {
      const sans = clients[client] ?? [];
      const expected = verdict(given, sans, method, path);
      left[expected] = (left[expected] ?? 0) - 1;
      if ((left[expected] ?? 0) < 0) continue;
      const headers = { host: `set-${index}.example` };
      const { status, body } = await httpCaller(scope, port, files[client] ?? {}).ask({ method, path, headers });
      const actual = { 0: 'closed', 403: 'denied', 404: 'allowed' }[status];
      assert.equal(actual, expected, `${status} ${body} ${JSON.stringify({ sans, method, path, given })}`);
      counts[expected] = (counts[expected] ?? 0) + 1;
    }
  }
  assert.ok(
    Object.values(counts).every((count) => count > 10),
    JSON.stringify(counts),
  );
  test.diagnostic(JSON.stringify(counts));
});
