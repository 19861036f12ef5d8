import { invalid, type Problem } from '../errors.ts';
import { isLoopback, isLoopbackHost } from '../resource/ip-address.ts';
import type { GlobalConfig, ZoneConfig } from './settings.ts';

type NatsConfig = Pick<GlobalConfig, 'natsUrl' | 'natsCreds' | 'allowInsecure'>;

/**
 * What is unsafe about the configured NATS although it is allowed: for the log and /ready. Throws `invalid` for what is
 * not allowed: without credentials anybody who reaches that NATS can speak as any zone, and as global.
 */
export function insecurity({ natsUrl, natsCreds, allowInsecure }: NatsConfig): string | undefined {
  const elsewhere = serversOf(natsUrl).filter((url) => !isLoopbackHost(hostOf(url)));
  const open = natsCreds === '' ? elsewhere.find((url) => !hasUser(url)) : undefined;
  if (open === undefined) return readable(elsewhere);
  const reason = `has no credentials, and ${hostOf(open)} is another machine: whoever reaches it can speak as any zone`;
  if (!allowInsecure) {
    throw invalid(
      [{ field: 'natsUrl (MERIDIAN_NATS_URL)', reason }],
      'Set natsCreds (MERIDIAN_NATS_CREDS) to the file of `meridianctl zone add`, or allowInsecure (MERIDIAN_ALLOW_INSECURE) to true.',
    );
  }
  return `the NATS connection ${reason}`;
}

/** Credentials prove who connects, not what is on the way. */
function readable(elsewhere: readonly string[]): string | undefined {
  const plain = elsewhere.find((url) => !isEncrypted(url));
  if (plain === undefined) return undefined;
  return `the NATS connection to ${hostOf(plain)} is not encrypted: whoever is between can read and change what control planes say`;
}

/**
 * The files for TLS to NATS. Throws `invalid` for a certificate without its key, and for files that would not be used.
 */
export function natsTls({ natsUrl, natsCa, natsCert, natsKey }: Pick<GlobalConfig, 'natsUrl' | 'natsCa' | 'natsCert' | 'natsKey'>) {
  const problems: Problem[] = [];
  const given = Object.entries({ natsCa, natsCert, natsKey }).filter(([, file]) => file !== '');
  const servers = serversOf(natsUrl);
  if (servers.length === 0 || !servers.every(isEncrypted)) {
    for (const [field] of given)
      problems.push({ field, reason: 'is only for a natsUrl (MERIDIAN_NATS_URL) that begins with tls:// or wss://' });
  }
  if (natsCert !== '' && natsKey === '')
    problems.push({ field: 'natsKey (MERIDIAN_NATS_KEY)', reason: 'must be set, to go with the certificate' });
  if (natsKey !== '' && natsCert === '')
    problems.push({ field: 'natsCert (MERIDIAN_NATS_CERT)', reason: 'must be set, to go with the key' });
  if (problems.length > 0) throw invalid(problems, 'TLS to NATS takes natsCa, natsCert and natsKey, with a natsUrl that asks for it.');
  return { ca: natsCa || undefined, cert: natsCert || undefined, key: natsKey || undefined };
}

type XdsConfig = Pick<ZoneConfig, 'xdsAddress' | 'xdsTlsCert' | 'xdsTlsKey' | 'xdsClientCa'>;

/**
 * The files of the xDS server's TLS; undefined: it speaks plain text, on loopback. Throws `invalid` for any other
 * address without TLS, since tokens would be sent in plain text, and where one file of several is missing.
 */
export function xdsTls({ xdsAddress, xdsTlsCert: cert, xdsTlsKey: key, xdsClientCa }: XdsConfig) {
  const problems: Problem[] = [];
  const exposed = !isLoopback(xdsAddress) && `because ${xdsAddress} (MERIDIAN_XDS_ADDRESS) is not loopback`;
  const why = exposed || (xdsClientCa !== '' && 'because xdsClientCa (MERIDIAN_XDS_CLIENT_CA) is set');
  if (cert === '' && (why || key !== ''))
    problems.push({ field: 'xdsTlsCert (MERIDIAN_XDS_TLS_CERT)', reason: `must be set, ${why || 'to go with the key'}` });
  if (key === '' && (why || cert !== ''))
    problems.push({ field: 'xdsTlsKey (MERIDIAN_XDS_TLS_KEY)', reason: `must be set, ${why || 'to go with the certificate'}` });
  if (problems.length > 0) throw invalid(problems, 'Proxies send tokens to the xDS server: beyond loopback that needs TLS.');
  return cert === '' ? undefined : { cert, key, clientCa: xdsClientCa === '' ? undefined : xdsClientCa };
}

/** '' has none. */
function serversOf(natsUrl: string): readonly string[] {
  return natsUrl === '' ? [] : natsUrl.split(',').map((url) => url.trim());
}

function isEncrypted(url: string): boolean {
  return /^(tls|wss):/.test(url);
}

/** What stands between `//` and the path. */
function authority(url: string): string {
  return (url.split('://')[1] ?? '').split(/[/?#]/)[0] ?? '';
}

function hasUser(url: string): boolean {
  return authority(url).lastIndexOf('@') > 0;
}

/** Without port and brackets. */
function hostOf(url: string): string {
  const host = authority(url).split('@').pop() ?? '';
  return /^\[(.*)\]/.exec(host)?.[1] ?? host.replace(/:\d*$/, '');
}
