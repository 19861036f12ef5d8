import { X509Certificate } from 'node:crypto';
import { asArray, asObject, asText } from '../../naming/json.ts';
import { compareText, formatKri } from '../../resource/key.ts';
import type { Resource } from '../../resource/resource.ts';

/** Whose callers a cross-mesh listener lets as far as its rules: one trust domain, and who signs for it. */
export interface TrustedDomain {
  /** `consume` of `spiffe://consume/backend`. */
  readonly domain: string;
  /** CA certificates as PEM; undefined: those that the proxy checks callers of its own mesh with. */
  readonly bundle: string | undefined;
}

/** What a mesh trusts. */
export interface MeshTrusts {
  readonly domains: readonly TrustedDomain[];
  /** What was left out, and why. */
  readonly problems: readonly string[];
}

/** How many trust domains a listener takes. */
const MOST_DOMAINS = 100;

/**
 * Whom the cross-mesh listeners of a mesh trust, in a zone: callers of the mesh itself, whose CAs the proxy has, and
 * those of each trust domain that a MeshTrust of the mesh names, by the CAs of that MeshTrust alone. So a CA of one
 * mesh speaks for no other. A MeshTrust of the mesh's own trust domain stands in place of the proxy's file. Never more
 * than 100 domains: the first ones by name.
 *
 *   mesh expose, zone east, MeshTrust {trustDomain: consume, caBundles: [...]}
 *     ->  consume: its CAs;  expose, expose.east.mesh.local: those of the proxy
 */
export function trustedDomains(mesh: string, zone: string, trusts: readonly Resource[]): MeshTrusts {
  const problems: string[] = [];
  const bundles = new Map<string, string>();
  for (const trust of trusts.filter(({ key }) => key.mesh === mesh)) {
    const domain = asText(trust.spec.trustDomain);
    const pem = readBundle(trust);
    if (domain === undefined || !DOMAIN.test(domain)) problems.push(`${formatKri(trust.key)}: its trustDomain is none`);
    else if (pem === undefined) problems.push(`${formatKri(trust.key)}: one of its caBundles is no CA certificate in PEM`);
    else bundles.set(domain, `${bundles.get(domain) ?? ''}${pem}`);
  }
  const own = [mesh, `${mesh}.${zone}.mesh.local`].filter((domain) => !bundles.has(domain));
  const named = [...bundles].map(([domain, bundle]) => ({ domain, bundle })).sort((a, b) => compareText(a.domain, b.domain));
  const all = [...own.map((domain) => ({ domain, bundle: undefined })), ...named];
  if (all.length > MOST_DOMAINS) problems.push(`a listener trusts ${MOST_DOMAINS} trust domains at most: the others are left out`);
  return { domains: all.slice(0, MOST_DOMAINS), problems };
}

const DOMAIN = /^[a-z0-9]([-a-z0-9._]{0,251}[a-z0-9])?$/;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** What was read of resources, which never change. */
const known = new WeakMap<Resource, { readonly pem: string | undefined }>();

function readBundle(trust: Resource): string | undefined {
  const read = known.get(trust) ?? { pem: bundleOf(trust) };
  known.set(trust, read);
  return read.pem;
}

/** All of its certificates; undefined: one of its bundles has something else, which an Envoy would refuse. */
function bundleOf({ spec }: Resource): string | undefined {
  const bundles = asArray(spec.caBundles).map(asObject);
  const texts = bundles.map((bundle) => (bundle?.type === 'Pem' ? certificatesIn(asText(asObject(bundle.pem)?.value) ?? '') : undefined));
  if (texts.length === 0 || !texts.every((text) => text !== undefined)) return undefined;
  return texts.join('');
}

function certificatesIn(pem: string): string | undefined {
  const blocks = pem.match(CERTIFICATE) ?? [];
  const isAll = pem.replaceAll(CERTIFICATE, '').trim() === '';
  return blocks.length > 0 && isAll && blocks.every(isCertificate) ? blocks.map((block) => `${block}\n`).join('') : undefined;
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).ca;
  } catch {
    return false;
  }
}

/**
 * Why a caller with these URI SANs, in the order of its certificate, does not get as far as the rules of a listener
 * that trusts these domains; undefined: it does. The first one says whose CAs are asked, so it must be a SPIFFE ID;
 * whoever has SPIFFE IDs of two trust domains is trusted by neither's word.
 */
export function whyUntrusted(domains: readonly TrustedDomain[], sans: readonly string[]): string | undefined {
  const first = /^spiffe:\/\/([^/]*)\//.exec(sans[0] ?? '')?.[1];
  if (first === undefined) return 'the first URI SAN of the caller is no SPIFFE ID';
  const others = sans.flatMap((san) => domainOf(san) ?? []).filter((domain) => domain !== first);
  if (others.length > 0) return `the caller has SPIFFE IDs of several trust domains, ${[first, ...others].join(', ')}`;
  return domains.some(({ domain }) => domain === first) ? undefined : `no MeshTrust says who signs for the trust domain ${first}`;
}

function domainOf(san: string): string | undefined {
  return /^spiffe:\/\/([^/]*)/.exec(san)?.[1];
}
