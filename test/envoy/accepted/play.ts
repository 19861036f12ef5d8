import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { can } from '../../../src/control/mesh/answer-can.ts';
import { Enforcement } from '../../../src/control/enforce/enforcement.ts';
import type { InboundRules } from '../../../src/control/enforce/proxy-rules.ts';
import { createMeshViews } from '../../../src/control/mesh/mesh-view.ts';
import type { Plane } from '../../../src/control/plane/plane.ts';
import { carry, MESH, newGlobal, newZone, PLAIN } from '../../harness/control-planes.ts';
import { MeridianError } from '../../../src/errors.ts';
import type { Decision } from '../../../src/policy/decide/decide-request.ts';
import { parseDocument } from '../../../src/resource/documents/parse-documents.ts';
import type { Resource } from '../../../src/resource/resource.ts';
import { bootstrap } from '../../../src/xds/envoy/bootstrap.ts';
import { authenticator } from '../../../src/xds/server/authenticate-caller.ts';
import { encodeSnapshot } from '../../../src/xds/wire/encode-resource.ts';
import { generate } from '../../../src/xds/envoy/generate-snapshot.ts';
import type { InboundInput } from '../../../src/xds/envoy/inbound-input.ts';
import { startXds, type Xds } from '../../../src/xds/server/xds-server.ts';
import { issueToken } from '../../../src/xds/server/proxy-token.ts';
import { EMPTY } from '../../../src/xds/wire/resource-types.ts';
import { startHttpApplication, startTcpApplication } from '../../harness/application.ts';
import { httpCaller, tcpCaller } from '../../harness/caller.ts';
import { type IssuedCertificate, createAuthority } from '../../harness/certificates.ts';
import { type Envoy, freePorts, startEnvoy } from '../../harness/envoy.ts';
import { Scope } from '../../harness/scope.ts';
import { until } from '../../harness/until.ts';
import { change, dataplane, type LoopbackPlace, type Raw, request } from './documents.ts';
import { writeDocuments, writeDrafts } from '../../harness/write-drafts.ts';

/** How many meshes a batch has, each with one Dataplane. */
const MESHES = 40;
const ROUNDS = 4;
/** Of each mesh, in a round. */
const CHANGES = 4;

const PROXY = { mesh: 'default', name: 'all' };
const SECRET = randomBytes(32);

export interface Counts {
  documents: number;
  accepted: number;
  /** What the Envoy was given and took. */
  listeners: number;
  shut: number;
  allowed: number;
  denied: number;
}

/**
 * One real Envoy with what all batches share: applications, callers, and the xDS server that gives it a batch's
 * inbounds.
 */
export interface Stage {
  readonly given: readonly LoopbackPlace[];
  /** Gives these inbounds, and waits until the Envoy has all of them. Throws what it refuses. */
  show(inbounds: readonly InboundInput[]): Promise<void>;
  ask(inbound: InboundInput, client: number, asked: { method: string; path: string }): Promise<'Allow' | 'Deny'>;
  sansOf(mesh: string, client: number): { readonly sans: readonly string[]; readonly index: number };
}

export async function openStage(scope: Scope): Promise<Stage> {
  const folder = scope.folder();
  const authority = await createAuthority(folder);
  const common = [['spiffe://td/ns/pay/sa/api'], ['spiffe://td'], ['spiffe://td/ns/payroll'], ['spiffe://other/x', 'kuma://app/x']];
  const meshes = Array.from({ length: MESHES }, (_, index) => `m${index}`);
  const own = meshes.flatMap((mesh) => [
    [`spiffe://${mesh}/ns/a/sa/b`],
    [`spiffe://${mesh}/web`, 'kuma://app/x', 'kuma://kuma.io/service/web'],
  ]);
  const all = [...common, ...own];
  const files: IssuedCertificate[] = [];
  for (const [index, sans] of all.entries()) files.push(await authority.issue(`client-${index}`, sans));
  const [http, tcp] = [await startHttpApplication(scope), await startTcpApplication(scope)];
  const server = await authority.issue('backend', ['spiffe://default/backend']);
  let inbounds: readonly InboundInput[] = [];
  const [port = 0] = await freePorts(1);
  const xds = await startXds({
    address: '127.0.0.1',
    port,
    authenticate: authenticator(SECRET, () => Date.now() / 1000),
    snapshotOf: () => (inbounds.length === 0 ? EMPTY : generate({ inbounds, certificates: server })),
    report: () => {},
  });
  scope.add(() => xds.close());
  const token = issueToken(SECRET, PROXY, Date.now() / 1000 + 36_000);
  const envoy = await startEnvoy(scope, bootstrap({ ...PROXY, xdsAddress: `127.0.0.1:${port}`, token, adminPort: 0 }));
  return {
    given: meshes.map((mesh, host) => ({ mesh, host, http, tcp })),
    async show(now) {
      inbounds = now;
      xds.changed();
      await settled(xds, envoy, generate({ inbounds, certificates: server }).listeners.length);
    },
    sansOf(mesh, client) {
      const host = meshes.indexOf(mesh);
      const index = client % 6 < 4 ? client % 6 : common.length + 2 * host + (client % 2);
      return { sans: all[index] ?? [], index };
    },
    async ask(inbound, client, asked) {
      const own = new Scope();
      try {
        return await answer(own, inbound, files[client], asked);
      } finally {
        await own.close();
      }
    },
  };
}

async function settled(xds: Xds, envoy: Envoy, listeners: number): Promise<void> {
  await until('the Envoy has all that it was given', async () => {
    assert.ok(envoy.running(), envoy.lines.slice(-5).join('\n'));
    const types = xds.view(PROXY)?.streams.flatMap((stream) => stream.types) ?? [];
    const refused = types.flatMap((type) => type.refused);
    assert.deepEqual(refused, [], JSON.stringify(refused));
    if (types.length === 0 || types.some(({ waiting }) => waiting)) return false;
    if ((await envoy.stat('listener_manager.total_listeners_active')) !== listeners) return false;
    return (
      (await envoy.stat('listener_manager.total_listeners_warming')) === 0 && (await envoy.stat('listener_manager.workers_started')) === 1
    );
  });
}

async function answer(
  scope: Scope,
  { protocol, address, port }: InboundInput,
  files: IssuedCertificate | undefined,
  asked: { method: string; path: string },
) {
  assert.ok(files);
  if (protocol === 'tcp') return (await tcpCaller(scope, port, files, address).say('x')) === undefined ? 'Deny' : 'Allow';
  const { status, body } = await httpCaller(scope, port, files, address).ask(asked);
  assert.ok(status !== 0 && status !== 400, `${status} ${body}`);
  return status === 403 ? 'Deny' : 'Allow';
}

/**
 * Plays one batch: what is accepted builds, the Envoy takes it, and `can` says what the Envoy does. The same for the
 * same seed.
 */
export async function play(stage: Stage, seed: number, requests: number, changes = CHANGES): Promise<Counts> {
  const counts: Counts = { documents: 0, accepted: 0, listeners: 0, shut: 0, allowed: 0, denied: 0 };
  const zone = newZoneWith(stage.given.map(({ mesh }) => mesh));
  const enforcement = new Enforcement(zone, false);
  await stage.show([]);
  for (let round = 0; round < ROUNDS; round++) {
    const cases = stage.given.map((given) => {
      const at = seed * 10_000 + given.host * 10 + round;
      const first = round === 0 ? fc.sample(dataplane(given), { seed: at, numRuns: 3 }) : [];
      for (const raw of [...first, ...fc.sample(change(given), { seed: at, numRuns: changes })]) write(zone, raw, counts);
      return built(zone, enforcement, given);
    });
    const all = cases.flatMap(({ inbounds }) => inbounds);
    counts.listeners += all.length;
    await stage.show(all);
    const generated = new Map(
      generate({ inbounds: all, certificates: { ca: '/a', cert: '/b', key: '/c' } }).shut.map((one) => [one.inbound, one.reason]),
    );
    assert.deepEqual([...generated], []);
    await compare(stage, zone, cases, { seed: seed * 10 + round, requests: Math.ceil(requests / ROUNDS) }, counts);
  }
  await stage.show([]);
  zone.store.close();
  return counts;
}

function newZoneWith(meshes: readonly string[]): Plane {
  const global = newGlobal(PLAIN);
  writeDrafts(
    global,
    meshes.map((name) => ({ ...MESH, name })),
  );
  const zone = newZone(PLAIN, global);
  carry(global, zone);
  global.store.close();
  return zone;
}

function write(zone: Plane, raw: Raw, counts: Counts): void {
  counts.documents++;
  try {
    // As it comes over the network.
    writeDocuments(zone, [parseDocument(JSON.parse(JSON.stringify(raw)))]);
    counts.accepted++;
  } catch (thrown) {
    // Refused with its reason: anything else is a fault.
    if (!(thrown instanceof MeridianError) || thrown.code === 'internal') throw thrown;
  }
}

interface PlayedProxy {
  readonly given: LoopbackPlace;
  readonly dataplane: Resource | undefined;
  readonly inbounds: readonly InboundInput[];
  /** As the Dataplane calls them. */
  readonly sections: readonly string[];
}

function built(zone: Plane, enforcement: Enforcement, given: LoopbackPlace): PlayedProxy {
  const rules = enforcement.rulesOf(given.mesh, 'backend');
  const dataplane = zone.store.byName('Dataplane', given.mesh, '', 'backend')?.resource;
  assert.equal(rules === undefined, dataplane === undefined);
  assert.deepEqual(rules?.problems ?? [], []);
  const own = (rules?.inbounds ?? []).map((inbound) => toInbound(inbound));
  const { shut, ...snapshot } = generate({ inbounds: own, certificates: { ca: '/a', cert: '/b', key: '/c' } });
  assert.deepEqual(shut, [], 'what is accepted can be built');
  encodeSnapshot(snapshot);
  const sections = own.map(({ name }) => name);
  return { given, dataplane, sections, inbounds: own.map((inbound) => ({ ...inbound, name: `${given.mesh}/${inbound.name}` })) };
}

function toInbound({ rbac, routes, ...place }: InboundRules): InboundInput {
  return place.protocol === 'tcp' ? { ...place, rbac: { network: rbac } } : { ...place, rbac: { http: rbac }, routes };
}

interface PlayedQuestion {
  readonly inbound: InboundInput;
  readonly caller: number;
  readonly asked: { readonly method: string; readonly path: string };
  readonly said: Decision;
  readonly why: object;
}

/** Half of what is asked is to be allowed, if so much can be found. */
async function compare(
  stage: Stage,
  zone: Plane,
  cases: readonly PlayedProxy[],
  { seed, requests }: PlayOptions,
  counts: Counts,
): Promise<void> {
  const views = createMeshViews(zone);
  const found: PlayedQuestion[] = fc
    .sample(fc.tuple(fc.nat(), request), { seed, numRuns: 8 * requests })
    .flatMap(([which, { client, inbound: index, ...asked }]) => {
      const { given, dataplane, inbounds, sections } = cases[which % cases.length] ?? assert.fail();
      const inbound = inbounds[index % inbounds.length];
      const section = sections[index % inbounds.length];
      // What listens there is on 127.0.0.1 alone.
      if (!dataplane || !inbound || inbound.serviceAddress !== undefined) return [];
      const { sans, index: caller } = stage.sansOf(given.mesh, client);
      const said = can(zone, views(given.mesh), false, { dataplane, section, request: { spiffeIds: sans, ...asked } });
      return [{ inbound, caller, asked, said, why: { seed, mesh: given.mesh, section, sans, asked, said, dataplane: dataplane.spec } }];
    });
  const allowed = found.filter(({ said }) => said.decision === 'Allow').slice(0, requests / 2);
  const chosen = [...allowed, ...found.filter(({ said }) => said.decision === 'Deny')].slice(0, requests);
  for (const { inbound, caller, asked, said, why } of chosen) {
    const done = await stage.ask(inbound, caller, asked);
    assert.equal(done, said.decision, JSON.stringify(why));
    counts[done === 'Allow' ? 'allowed' : 'denied']++;
  }
}

interface PlayOptions {
  readonly seed: number;
  readonly requests: number;
}
