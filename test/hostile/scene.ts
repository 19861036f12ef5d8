import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, credsAuthenticator } from '@nats-io/transport-node';
import { claimsOf, issue, newAuthority } from '../../src/nats/authority/zone-authority.ts';
import { serverConfiguration } from '../../src/nats/authority/server-configuration.ts';
import { type Daemon, startDaemon } from '../harness/daemon.ts';
import { startNats } from '../harness/nats.ts';
import type { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';
import { Attacker } from './attacker.ts';

/** One NATS with credentials, a global, an honest zone, and two that were taken over. */
export interface HostileScene {
  readonly global: Daemon;
  readonly east: Daemon;
  readonly west: Attacker;
  /** Its name and namespaces run together with east's. */
  readonly east1: Attacker;
  /** What is heard on a subject with the credential of a zone; '' is global's. */
  listen(zone: string, subject: string): Promise<readonly string[]>;
}

/** What each zone may hold at global here. */
export const MOST = { resources: 40, megabytes: 2 };

const QUOTA = { MERIDIAN_ZONE_MAX_RESOURCES: `${MOST.resources}`, MERIDIAN_ZONE_MAX_MEGABYTES: `${MOST.megabytes}` };

const KINDS = ['meshtimeouts', 'meshtrafficpermissions', 'meshservices', 'dataplanes', 'meshhttproutes'];

export async function playScene(scope: Scope): Promise<HostileScene> {
  const folder = scope.folder();
  let authority = newAuthority();
  const creds: Record<string, string> = {};
  for (const zone of ['', 'east', 'west', 'east1']) {
    const made = await issue(authority, zone, Math.floor(Date.now() / 1000));
    authority = made.authority;
    creds[zone] = made.creds;
    writeFileSync(join(folder, `${zone}.creds`), made.creds, { mode: 0o600 });
  }
  const nats = await startNats(scope, serverConfiguration(await claimsOf(authority), join(folder, 'accounts')));
  const env = (zone: string) => ({ MERIDIAN_NATS_URL: nats.url, MERIDIAN_NATS_CREDS: join(folder, `${zone}.creds`) });
  const [global, east] = await Promise.all([
    startDaemon(scope, 'global', { ...env(''), ...QUOTA }),
    startDaemon(scope, 'zone', { ...env('east'), MERIDIAN_ZONE_NAME: 'east' }),
  ]);
  await east.untilReady();
  const open = (zone: string): Promise<Attacker> => Attacker.open(scope, nats.url, zone, creds[zone] ?? '');
  const listen = (zone: string, subject: string) => hear(scope, nats.url, creds[zone] ?? '', subject);
  return { global, east, west: await open('west'), east1: await open('east1'), listen };
}

async function hear(scope: Scope, url: string, creds: string, subject: string): Promise<readonly string[]> {
  const connection = await connect({ servers: url, authenticator: credsAuthenticator(new TextEncoder().encode(creds)), reconnect: false });
  scope.add(() => connection.close());
  const heard: string[] = [];
  connection.subscribe(subject, { callback: (_error, message) => void heard.push(message.string()) });
  await connection.flush();
  return heard;
}

export async function get(url: string): Promise<AnswerJson> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as AnswerJson;
}

// The API's answers, to be looked into.
export type AnswerJson = { readonly [name: string]: AnswerJson } & readonly AnswerJson[] & string;

/** `name` with a dot: of the namespace behind it. */
export async function put(daemon: Daemon, collection: string, name: string, type: string, spec: object, mesh = 'default'): Promise<void> {
  const path = mesh === '' ? `${collection}/${name}` : `meshes/${mesh}/${collection}/${name}`;
  const [displayName, namespace] = name.split('.');
  const labels = namespace === undefined ? {} : { 'k8s.kuma.io/namespace': namespace };
  const body = JSON.stringify({ type, ...(mesh === '' ? {} : { mesh }), name: displayName, labels, spec });
  const response = await fetch(`${daemon.url}/${path}`, { method: 'PUT', body, headers: { 'content-type': 'application/json' } });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

/**
 * All that a control plane holds and that is not the attackers', as its bytes. `beacon` is what the tests change
 * themselves.
 */
export async function othersOf({ url }: Daemon): Promise<string> {
  const lists = await Promise.all(
    ['meshes', ...KINDS.map((kind) => `meshes/default/${kind}`)].map((path) => get(`${url}/${path}?size=1000`)),
  );
  const items = lists.flatMap((list) => itemsOf(list.items));
  const others = items.filter(
    ({ name, labels }) => !(name ?? '').startsWith('beacon') && !['west', 'east1'].includes(labels?.['kuma.io/zone'] ?? ''),
  );
  return JSON.stringify(others, null, 1);
}

/** What a control plane calls the resources, and copies of such, that are displayed as `name`. */
export async function namesOf({ url }: Daemon, collection: string, name: string): Promise<readonly string[]> {
  const { items } = await get(`${url}/meshes/default/${collection}?size=1000`);
  return itemsOf(items)
    .filter(({ labels }) => labels?.['kuma.io/display-name'] === name)
    .map((one) => `${one.name}`);
}

/** What is a list; empty for nothing. */
export function itemsOf(value: AnswerJson | undefined): readonly AnswerJson[] {
  return value ?? [];
}

/** How global sees a zone. */
export async function peerOf({ url }: Daemon, zone: string): Promise<AnswerJson | undefined> {
  const { peers } = await get(`${url}/_sync`);
  return itemsOf(peers).find(({ peer }) => peer === zone);
}

let turn = 0;

/** A change at global reaches east. */
export async function reaches({ global, east }: HostileScene, what: string): Promise<void> {
  const value = `${++turn}s`;
  await put(global, 'meshtimeouts', 'beacon', 'MeshTimeout', {
    to: [{ targetRef: { kind: 'Mesh' }, default: { connectionTimeout: value } }],
  });
  await until(`a change reaches east after ${what}`, async () => {
    const { items } = await get(`${east.url}/meshes/default/meshtimeouts?size=1000`);
    return JSON.stringify(items).includes(`"${value}"`);
  });
}
