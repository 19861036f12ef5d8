import * as z from 'zod';

/**
 * One setting: its environment variable, the values it takes as text, and what to do when it is wrong. Its YAML key is
 * the property's name.
 */
export interface Setting<T> {
  readonly variable: string;
  /** What it is for, as `--help` says it. */
  readonly about: string;
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
  about: string,
  schema: z.ZodType<T>,
  expects: string,
  more: { fallback?: T; mayBeEmpty?: boolean } = {},
): Setting<T> {
  return { variable, about, schema, expects, ...more };
}

/** What every daemon can be told (docs/design/interfaces.md#settings). */
export const COMMON = {
  dataDir: setting(
    'MERIDIAN_DATA_DIR',
    'The folder of the database. Nobody else may use it, and nobody else can read it.',
    text,
    'a folder',
    { fallback: './data' },
  ),
  /** '' : this control plane stands alone. Several servers have commas between them. */
  natsUrl: setting(
    'MERIDIAN_NATS_URL',
    'The NATS servers by which control planes reach each other. Empty: this one stands alone.',
    urls,
    'a URL that begins with nats://, tls://, ws:// or wss://, several with commas between them (one in a password is %2C), or empty',
    {
      fallback: 'nats://127.0.0.1:4222',
      mayBeEmpty: true,
    },
  ),
  natsCreds: setting(
    'MERIDIAN_NATS_CREDS',
    'What this control plane shows to NATS, so that nobody else can speak for it.',
    z.string(),
    'a file made by `meridianctl zone add`',
    { fallback: '' },
  ),
  /** PEM files for `tls://` and `wss://`; '' : the CAs that Node trusts, and no certificate of our own. */
  natsCa: setting(
    'MERIDIAN_NATS_CA',
    'Whom to trust as NATS server, instead of the CAs that Node trusts. Only for tls:// and wss://.',
    z.string(),
    "a PEM file with the CA of the NATS server's certificate",
    { fallback: '' },
  ),
  natsCert: setting(
    'MERIDIAN_NATS_CERT',
    'A certificate to show to a NATS server that asks for one.',
    z.string(),
    'a PEM file with the certificate to show to NATS',
    { fallback: '' },
  ),
  natsKey: setting('MERIDIAN_NATS_KEY', 'The key of that certificate.', z.string(), 'a PEM file with the key of that certificate', {
    fallback: '',
  }),
  allowInsecure: setting(
    'MERIDIAN_ALLOW_INSECURE',
    'Starts although NATS has no credentials, or the API no TLS, where other machines reach them.',
    flag,
    'true or false',
    { fallback: false },
  ),
  apiAddress: setting(
    'MERIDIAN_API_ADDRESS',
    'Where the REST API and the diagnostics listen. Beyond loopback the API needs TLS.',
    text.regex(/^[0-9A-Za-z.:%_-]+$/),
    'an address or host name to listen on',
    {
      fallback: '127.0.0.1',
    },
  ),
  apiPort: setting('MERIDIAN_API_PORT', 'The port of the REST API and of the web page.', port, PORT, { fallback: 5681 }),
  apiHostnames: setting(
    'MERIDIAN_API_HOSTNAMES',
    'What clients may call the API, besides its address and localhost.',
    names,
    'host names, with commas between them',
    { fallback: [] },
  ),
  apiTlsCert: setting('MERIDIAN_API_TLS_CERT', 'The certificate of the API. Empty: plain HTTP.', z.string(), 'a PEM file', {
    fallback: '',
  }),
  apiTlsKey: setting('MERIDIAN_API_TLS_KEY', 'The key of that certificate.', z.string(), 'a PEM file', { fallback: '' }),
  apiLoopbackAdmin: setting(
    'MERIDIAN_API_LOOPBACK_ADMIN',
    "Whether a request from this machine without a token is an admin's. Not behind a reverse proxy.",
    flag,
    'true or false',
    { fallback: true },
  ),
  diagnosticsPort: setting('MERIDIAN_DIAGNOSTICS_PORT', 'The port of /healthy, /ready, /metrics and /turns.', port, PORT, {
    fallback: 5680,
  }),
  logLevel: setting('MERIDIAN_LOG_LEVEL', 'The least important lines that the log has.', z.enum(LEVELS), LEVELS.join(', '), {
    fallback: 'info' as const,
  }),
};

/** What global can be told besides. */
export const AT_GLOBAL = {
  ...COMMON,
  zoneMaxResources: setting(
    'MERIDIAN_ZONE_MAX_RESOURCES',
    'How many resources each zone may hold at global. More is refused, one by one.',
    whole(/^\d{1,9}$/, 1, 10_000_000),
    'a number from 1 to 10000000',
    {
      fallback: 100_000,
    },
  ),
  zoneMaxMegabytes: setting(
    'MERIDIAN_ZONE_MAX_MEGABYTES',
    'How large they may be together.',
    whole(/^\d{1,9}$/, 1, 100_000),
    'a number from 1 to 100000',
    { fallback: 128 },
  ),
};

/** What a zone can be told besides. */
export const ZONE = {
  ...COMMON,
  zoneName: setting(
    'MERIDIAN_ZONE_NAME',
    'The name of this zone. Fixed at the first start.',
    dnsLabel.refine((name) => name !== 'global'),
    `${DNS_LABEL}, and not "global"`,
  ),
  environment: setting(
    'MERIDIAN_ENVIRONMENT',
    'With namespaces, or without. Fixed at the first start.',
    z.enum(['kubernetes', 'universal']),
    'kubernetes or universal',
    {
      fallback: 'kubernetes' as const,
    },
  ),
  systemNamespace: setting(
    'MERIDIAN_SYSTEM_NAMESPACE',
    'Where copies and system policies are kept. Fixed at the first start.',
    dnsLabel,
    DNS_LABEL,
    { fallback: 'kuma-system' },
  ),
  /** What its site is (docs/design/attributes.md#a-sites-attributes). */
  siteAttributes: setting(
    'MERIDIAN_SITE_ATTRIBUTES',
    'What access policies know of this site, until an operator changes its Zone at global.',
    attributes,
    'attributes of its site: key=value, with commas between them, or a mapping in YAML',
    {
      fallback: {},
    },
  ),
  xdsAddress: setting(
    'MERIDIAN_XDS_ADDRESS',
    'Where Envoys connect. Beyond loopback it needs TLS.',
    z.union([z.ipv4(), z.ipv6()]),
    'an IP address to listen on',
    { fallback: '127.0.0.1' },
  ),
  xdsPort: setting('MERIDIAN_XDS_PORT', 'The port for Envoys.', port, PORT, { fallback: 5678 }),
  xdsTlsCert: setting(
    'MERIDIAN_XDS_TLS_CERT',
    'The certificate of the xDS server. Empty: plain text.',
    z.string(),
    "a PEM file with the xDS server's certificate and its chain",
    { fallback: '' },
  ),
  xdsTlsKey: setting('MERIDIAN_XDS_TLS_KEY', 'The key of that certificate.', z.string(), 'a PEM file with the key of that certificate', {
    fallback: '',
  }),
  xdsClientCa: setting(
    'MERIDIAN_XDS_CLIENT_CA',
    'With it, every proxy needs a certificate of that CA.',
    z.string(),
    "a PEM file with the CA of the proxies' certificates",
    { fallback: '' },
  ),
  proxyCertDir: setting(
    'MERIDIAN_PROXY_CERT_DIR',
    'Where each proxy finds its certificate, on its own machine.',
    text.startsWith('/'),
    'an absolute path',
    { fallback: '/etc/meridian/proxies' },
  ),
};

export type Settings = Readonly<Record<string, Setting<unknown>>>;
export type Values<S extends Settings> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never };

export type GlobalConfig = Values<typeof COMMON>;
export type ZoneConfig = Values<typeof ZONE>;
