import type { JsonObject } from '../../resource/resource.ts';
import { typeUrl } from '../wire/resource-types.ts';

const NAME = 'callers-sans';

/**
 * Closes the connection of a caller with a comma in one of its URI SANs, before the rules: Envoy's matchers get the
 * SANs as one text with commas between them, so that one SAN `spiffe://td/a,spiffe://td/b` would be two. No SPIFFE ID
 * and no tag has a comma. Also where the rules can tell, so that one answer holds everywhere.
 */
export function sansFilter(): JsonObject {
  const sanMatcher = { sanType: 'URI', matcher: { contains: ',' } };
  const typedConfig = { '@type': typeUrl('envoy.extensions.rbac.principals.mtls_authenticated.v3.Config'), sanMatcher };
  const comma = { custom: { name: 'envoy.rbac.principals.mtls_authenticated', typedConfig } };
  const rules = { action: 'DENY', policies: { comma: { permissions: [{ any: true }], principals: [comma] } } };
  return { name: NAME, typedConfig: { '@type': typeUrl('envoy.extensions.filters.network.rbac.v3.RBAC'), statPrefix: `${NAME}.`, rules } };
}
