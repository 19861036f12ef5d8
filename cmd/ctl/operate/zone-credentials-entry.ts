import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { invalid, MeridianError } from '../../../src/errors.ts';
import {
  type Authority,
  claimsOf,
  hasCredential,
  issue,
  newAuthority,
  readAuthority,
  revoke,
} from '../../../src/nats/authority/zone-authority.ts';
import { serverConfiguration } from '../../../src/nats/authority/server-configuration.ts';
import { tellServer } from '../../../src/nats/authority/tell-server.ts';
import type { TlsFiles } from '../../../src/nats/nats-tls.ts';
import { isDnsLabel } from '../../../src/resource/dns-names.ts';
import { optionsOf } from '../input/options.ts';
import { print } from '../terminal/output.ts';
import { replaceFile } from '../input/replace-file.ts';

/** What `zone add` and `zone revoke` do. Loaded when one of them runs: no other command has to do with NATS. */

export interface AddOptions {
  readonly dir: string;
  readonly validFor?: string;
  readonly replace?: boolean;
  readonly accountsDir: string;
}

export interface RevokeOptions {
  readonly dir: string;
  readonly accountsDir: string;
  readonly natsUrl?: string;
  readonly natsCa?: string;
  readonly natsCert?: string;
  readonly natsKey?: string;
}

const DAY = 86_400;

export async function add(name: string, { dir, validFor, replace, accountsDir }: AddOptions, command: Command): Promise<void> {
  const zone = zoneOf(name);
  const days = daysOf(validFor);
  const known = readKept(dir);
  if (known && hasCredential(known, zone) && replace !== true) {
    throw new MeridianError('conflict', `${name} has a credential, in ${credsFile(dir, name)}`, {
      hint: '--replace revokes it and makes another',
    });
  }
  let authority = known ?? newAuthority();
  const made: (readonly [file: string, creds: string])[] = [];
  for (const each of zone !== '' && !hasCredential(authority, '') ? ['', zone] : [zone]) {
    const issued = await issue(authority, each, now(), days === undefined ? undefined : days * DAY);
    authority = issued.authority;
    made.push([credsFile(dir, each || 'global'), issued.creds]);
  }
  const configuration = await keep(dir, authority, accountsDir);
  for (const [file, creds] of made) replaceFile(file, creds);
  const files = made.map(([file]) => file);
  const result = { name, credentials: files, configuration: join(dir, CONFIGURATION), natsConfiguration: configuration };
  const told = files.map((file) => `wrote ${file}\n`).join('');
  await print(
    optionsOf(command),
    result,
    () => `${told}wrote ${join(dir, CONFIGURATION)}: include it in the configuration of the nats-server\n`,
  );
}

export async function takeBack(
  name: string,
  { dir, accountsDir, natsUrl, natsCa, natsCert, natsKey }: RevokeOptions,
  command: Command,
): Promise<void> {
  const zone = zoneOf(name);
  const known = readKept(dir);
  if (!known || !hasCredential(known, zone))
    throw new MeridianError('not_found', `${name} has no credential of the authority in ${dir}`, { hint: 'see --dir' });
  const authority = revoke(known, zone, now());
  await keep(dir, authority, accountsDir);
  const tls: TlsFiles = { ca: natsCa, cert: natsCert, key: natsKey };
  // What was kept is right: the server can be told again.
  if (natsUrl !== undefined) await tellServer(authority, natsUrl, tls, now());
  const rest = natsUrl === undefined ? `; it holds once the nats-server has the new ${join(dir, CONFIGURATION)} (or say --nats-url)` : '';
  await print(optionsOf(command), { name, revoked: true, told: natsUrl !== undefined }, () => `revoked the credential of ${name}${rest}\n`);
}

const CONFIGURATION = 'nats.conf';

/** '' for global, as everywhere. */
function zoneOf(name: string): string {
  if (!isDnsLabel(name)) throw invalid([{ field: 'name', reason: 'must be the name of a zone, or global' }]);
  return name === 'global' ? '' : name;
}

function daysOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const days = Number(text);
  if (!/^\d{1,5}$/.test(text) || days < 1) throw invalid([{ field: '--valid-for', reason: 'must be a number of days' }]);
  return days;
}

function credsFile(dir: string, name: string): string {
  return join(dir, `${name}.creds`);
}

function readKept(dir: string): Authority | undefined {
  const file = join(dir, 'authority.json');
  if (!existsSync(file)) return undefined;
  if ((statSync(file).mode & 0o077) !== 0) {
    throw new MeridianError('forbidden', `others than its owner may read ${file}: whoever did can speak as any zone`, {
      hint: `chmod 600 ${file}, if you are sure that nobody did; else make a new authority`,
    });
  }
  return readAuthority(readFileSync(file, 'utf8'));
}

/** The authority is written first: a credential that is not in it could never be revoked. */
async function keep(dir: string, authority: Authority, accountsDir: string): Promise<string> {
  const configuration = serverConfiguration(await claimsOf(authority), accountsDir);
  replaceFile(join(dir, 'authority.json'), `${JSON.stringify(authority, undefined, 2)}\n`);
  replaceFile(join(dir, CONFIGURATION), configuration);
  return configuration;
}

/** Seconds. */
function now(): number {
  return Math.floor(Date.now() / 1000);
}
