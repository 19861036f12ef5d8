import { posix } from 'node:path';
import type { JsonObject } from '../../resource/resource.ts';
import type { Certificates } from './inbound-input.ts';
import { FROM_XDS } from './rbac-filters.ts';
import { typeUrl } from '../wire/resource-types.ts';

const OWN = 'identity';
const CALLERS = 'callers';

/**
 * The proxy's certificate and what it checks callers' with. They name files only, so no key comes here; as secrets of
 * their own they are read again when a file is replaced by a move.
 */
export function secretsOf({ ca, cert, key }: Certificates): JsonObject[] {
  const tlsCertificate = { certificateChain: { filename: cert }, privateKey: { filename: key }, watchedDirectory: folderOf(cert) };
  const spiffe = [{ sanType: 'URI', matcher: { prefix: 'spiffe://' } }];
  const validationContext = { trustedCa: { filename: ca }, watchedDirectory: folderOf(ca), matchTypedSubjectAltNames: spiffe };
  return [
    { name: OWN, tlsCertificate },
    { name: CALLERS, validationContext },
  ];
}

function folderOf(file: string): JsonObject {
  return { path: posix.dirname(file) };
}

const OF_THE_MESH: JsonObject = { validationContextSdsSecretConfig: { name: CALLERS, sdsConfig: FROM_XDS } };

/**
 * Mutual TLS: a caller without a SPIFFE certificate of the CA does not get in. `checked`: fields of `CommonTlsContext`
 * that say which CA that is; that of the mesh, if not said.
 */
export function mutualTls(protocols: readonly string[], checked: JsonObject = OF_THE_MESH): JsonObject {
  return {
    name: 'envoy.transport_sockets.tls',
    typedConfig: {
      '@type': typeUrl('envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext'),
      requireClientCertificate: true,
      // A resumed session would let in a caller whose certificate has ended since.
      disableStatelessSessionResumption: true,
      disableStatefulSessionResumption: true,
      commonTlsContext: {
        alpnProtocols: protocols,
        tlsCertificateSdsSecretConfigs: [{ name: OWN, sdsConfig: FROM_XDS }],
        ...checked,
      },
    },
  };
}
