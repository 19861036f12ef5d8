import { posix } from 'node:path';
import type { JsonObject } from '../../resource/resource.ts';
import { mutualTls } from '../envoy/mutual-tls.ts';
import { typeUrl } from '../wire/resource-types.ts';
import type { PortEntry, TrustBundle } from './gateway-input.ts';

const ALPN = ['h2', 'http/1.1'];
const DOWNSTREAM = typeUrl('envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext');

/** The transport socket of a port; undefined: plain text. */
export function entrySocket(entry: PortEntry): JsonObject | undefined {
  switch (entry.kind) {
    case 'plain':
      return undefined;
    case 'own':
      return withOwnCertificates(entry.files);
    case 'mesh':
      return mutualTls(ALPN, { validationContext: validation(entry.trusted) });
  }
}

/** Envoy reads them again when one is replaced by a move. */
function withOwnCertificates(files: readonly string[]): JsonObject {
  const tlsCertificates = files.map((filename) => ({
    certificateChain: { filename },
    privateKey: { filename },
    watchedDirectory: { path: posix.dirname(filename) },
  }));
  return {
    name: 'envoy.transport_sockets.tls',
    typedConfig: { '@type': DOWNSTREAM, commonTlsContext: { alpnProtocols: ALPN, tlsCertificates } },
  };
}

/** Each trust domain is checked with its own CAs: none of them can sign for another domain. */
function validation(trusted: readonly TrustBundle[]): JsonObject {
  const trustDomains = trusted.map((bundle) => ({
    name: bundle.domain,
    trustBundle: 'file' in bundle ? { filename: bundle.file } : { inlineString: bundle.pem },
  }));
  const typedConfig = { '@type': typeUrl('envoy.extensions.transport_sockets.tls.v3.SPIFFECertValidatorConfig'), trustDomains };
  return { customValidatorConfig: { name: 'envoy.tls.cert_validator.spiffe', typedConfig } };
}

/**
 * Closes the connection of a caller who has SPIFFE IDs of two trust domains, or anything but SPIFFE IDs and tags:
 * Envoy checks the certificate by the first of them alone, and the rules look at all. It stands before the rules.
 */
export function oneDomainFilter(trusted: readonly TrustBundle[]): JsonObject {
  const input = { name: 'envoy.matching.inputs.uri_san', typedConfig: { '@type': URI_SANS } };
  const matchers = trusted.map(({ domain }) => {
    const regex = `spiffe://${escapeRegex(domain)}/[^,]*(,(spiffe://${escapeRegex(domain)}(/[^,]*)?|kuma://[^,]*))*`;
    return { predicate: { singlePredicate: { input, valueMatch: { safeRegex: { googleRe2: {}, regex } } } }, onMatch: action('ALLOW') };
  });
  const matcher = { matcherList: { matchers }, onNoMatch: action('DENY') };
  return {
    name: NAME,
    typedConfig: { '@type': typeUrl('envoy.extensions.filters.network.rbac.v3.RBAC'), statPrefix: `${NAME}.`, matcher },
  };
}

const NAME = 'one-trust-domain';
const URI_SANS = typeUrl('envoy.extensions.matching.common_inputs.ssl.v3.UriSanInput');

function action(kind: 'ALLOW' | 'DENY'): JsonObject {
  return {
    action: {
      name: 'envoy.filters.rbac.action',
      typedConfig: { '@type': typeUrl('envoy.config.rbac.v3.Action'), name: NAME, action: kind },
    },
  };
}

function escapeRegex(text: string): string {
  return text.replaceAll(/[^a-z0-9-]/g, String.raw`\$&`);
}
