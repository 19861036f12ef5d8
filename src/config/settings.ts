import * as z from 'zod';

/**
 * One setting: its environment variable, the values it takes as text, and what to do when it is wrong. Its YAML key is
 * the property's name.
 */
export interface Setting<T> {
  readonly variable: string;
  /** Reads what YAML or the environment gave; environment variables are always text. */
  readonly schema: z.ZodType<T>;
  /** undefined: it must be set. */
  readonly fallback?: T;
  /** What it is, as the end of "must be ...". */
  readonly expects: string;
  /** Set to '' it means something; elsewhere an empty variable counts as not set. */
  readonly mayBeEmpty?: boolean;
}

const text = z.string().min(1);
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((value) => value === 'true')]);
/** In YAML a number, in a variable its digits. */
function whole(digits: RegExp, least: number, most: number) {
  const written = z.string().regex(digits).transform(Number);
  return z.union([z.number(), written]).pipe(z.number().int().min(least).max(most));
}
const port = whole(/^\d{1,5}$/, 0, 65_535);
/** In YAML it may be a list. */
const names = z.preprocess(
  (given) => (typeof given === 'string' ? given.split(',').map((name) => name.trim()) : given),
  z.array(z.string().regex(/^[a-z0-9]([-.a-z0-9]{0,252})$/i)),
);
/** In YAML it may be a list. All have one scheme: the transport says so. */
const urls = z.preprocess(
  (given) => (Array.isArray(given) ? given.join(',') : given),
  z.string().regex(/^((nats|tls|ws|wss):\/\/[^\s,]+(, *(nats|tls|ws|wss):\/\/[^\s,]+)*)?$/),
);
/** In YAML a mapping, in a variable `key=value` with commas between them. What the keys may be is asked elsewhere. */
const attributes = z.preprocess(
  (given) => {
    if (typeof given !== 'string') return given;
    const pairs = given.split(',').map((pair) => pair.split('='));
    return pairs.every(({ length }) => length === 2)
      ? Object.fromEntries(pairs.map(([key = '', value = '']) => [key.trim(), value.trim()]))
      : given;
  },
  z.record(z.string().min(1), z.string()),
);
const dnsLabel = z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);

const DNS_LABEL = 'up to 63 lower-case letters, digits and "-", with a letter or digit at both ends';
const PORT = 'a port, 0 (any free one) to 65535';
const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

function setting<T>(
  variable: string,
  schema: z.ZodType<T>,
  expects: string,
  more: { fallback?: T; mayBeEmpty?: boolean } = {},
): Setting<T> {
  return { variable, schema, expects, ...more };
}

/** What every daemon can be told (docs/design/interfaces.md#settings). */
export const COMMON = {
  /** The folder of the database. */
  dataDir: setting('MERIDIAN_DATA_DIR', text, 'a folder', { fallback: './data' }),
  /** '' : this control plane stands alone. Several servers have commas between them. */
  natsUrl: setting(
    'MERIDIAN_NATS_URL',
    urls,
    'a URL that begins with nats://, tls://, ws:// or wss://, several with commas between them (one in a password is %2C), or empty',
    {
      fallback: 'nats://127.0.0.1:4222',
      mayBeEmpty: true,
    },
  ),
  /** A credentials file; '' : none. */
  natsCreds: setting('MERIDIAN_NATS_CREDS', z.string(), 'a file made by `meridianctl zone add`', { fallback: '' }),
  /** PEM files for `tls://` and `wss://`; '' : the CAs that Node trusts, and no certificate of our own. */
  natsCa: setting('MERIDIAN_NATS_CA', z.string(), "a PEM file with the CA of the NATS server's certificate", { fallback: '' }),
  natsCert: setting('MERIDIAN_NATS_CERT', z.string(), 'a PEM file with the certificate to show to NATS', { fallback: '' }),
  natsKey: setting('MERIDIAN_NATS_KEY', z.string(), 'a PEM file with the key of that certificate', { fallback: '' }),
  allowInsecure: setting('MERIDIAN_ALLOW_INSECURE', flag, 'true or false', { fallback: false }),
  apiAddress: setting('MERIDIAN_API_ADDRESS', text.regex(/^[0-9A-Za-z.:%_-]+$/), 'an address or host name to listen on', {
    fallback: '127.0.0.1',
  }),
  apiPort: setting('MERIDIAN_API_PORT', port, PORT, { fallback: 5681 }),
  /** What clients may call it, besides its address and localhost. */
  apiHostnames: setting('MERIDIAN_API_HOSTNAMES', names, 'host names, with commas between them', { fallback: [] }),
  /** PEM files; '' : plain HTTP. */
  apiTlsCert: setting('MERIDIAN_API_TLS_CERT', z.string(), 'a PEM file', { fallback: '' }),
  apiTlsKey: setting('MERIDIAN_API_TLS_KEY', z.string(), 'a PEM file', { fallback: '' }),
  apiLoopbackAdmin: setting('MERIDIAN_API_LOOPBACK_ADMIN', flag, 'true or false', { fallback: true }),
  diagnosticsPort: setting('MERIDIAN_DIAGNOSTICS_PORT', port, PORT, { fallback: 5680 }),
  logLevel: setting('MERIDIAN_LOG_LEVEL', z.enum(LEVELS), LEVELS.join(', '), { fallback: 'info' as const }),
};

/** What global can be told besides. */
export const AT_GLOBAL = {
  ...COMMON,
  /** What each zone may hold at global: more is refused, resource by resource. */
  zoneMaxResources: setting('MERIDIAN_ZONE_MAX_RESOURCES', whole(/^\d{1,9}$/, 1, 10_000_000), 'a number from 1 to 10000000', {
    fallback: 100_000,
  }),
  zoneMaxMegabytes: setting('MERIDIAN_ZONE_MAX_MEGABYTES', whole(/^\d{1,9}$/, 1, 100_000), 'a number from 1 to 100000', { fallback: 128 }),
};

/** What a zone can be told besides. */
export const ZONE = {
  ...COMMON,
  zoneName: setting(
    'MERIDIAN_ZONE_NAME',
    dnsLabel.refine((name) => name !== 'global'),
    `${DNS_LABEL}, and not "global"`,
  ),
  environment: setting('MERIDIAN_ENVIRONMENT', z.enum(['kubernetes', 'universal']), 'kubernetes or universal', {
    fallback: 'kubernetes' as const,
  }),
  systemNamespace: setting('MERIDIAN_SYSTEM_NAMESPACE', dnsLabel, DNS_LABEL, { fallback: 'kuma-system' }),
  /** What its site is (docs/design/attributes.md#a-sites-attributes). */
  siteAttributes: setting(
    'MERIDIAN_SITE_ATTRIBUTES',
    attributes,
    'attributes of its site: key=value, with commas between them, or a mapping in YAML',
    {
      fallback: {},
    },
  ),
  /** Where Envoys connect. Beyond loopback it needs TLS. */
  xdsAddress: setting('MERIDIAN_XDS_ADDRESS', z.union([z.ipv4(), z.ipv6()]), 'an IP address to listen on', { fallback: '127.0.0.1' }),
  xdsPort: setting('MERIDIAN_XDS_PORT', port, PORT, { fallback: 5678 }),
  /** PEM files; '' : none. */
  xdsTlsCert: setting('MERIDIAN_XDS_TLS_CERT', z.string(), "a PEM file with the xDS server's certificate and its chain", { fallback: '' }),
  xdsTlsKey: setting('MERIDIAN_XDS_TLS_KEY', z.string(), 'a PEM file with the key of that certificate', { fallback: '' }),
  /** With it, every proxy needs a certificate of that CA. */
  xdsClientCa: setting('MERIDIAN_XDS_CLIENT_CA', z.string(), "a PEM file with the CA of the proxies' certificates", { fallback: '' }),
  /** Where the proxies' certificates are, on their machines. */
  proxyCertDir: setting('MERIDIAN_PROXY_CERT_DIR', text.startsWith('/'), 'an absolute path', { fallback: '/etc/meridian/proxies' }),
};

export type Settings = Readonly<Record<string, Setting<unknown>>>;
export type Values<S extends Settings> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never };

export type GlobalConfig = Values<typeof COMMON>;
export type ZoneConfig = Values<typeof ZONE>;
