import { invalid } from '../errors.ts';
import { isLoopbackHost } from '../resource/ip-address.ts';
import type { GlobalConfig } from './settings.ts';

type ApiConfig = Pick<GlobalConfig, 'apiAddress' | 'apiTlsCert' | 'apiTlsKey' | 'allowInsecure'>;

/**
 * What is unsafe about the configured API although it is allowed: for the log and /ready. Throws `invalid` for what is
 * not allowed: over plain HTTP anybody on the way can read the tokens and use them.
 */
export function apiInsecurity({ apiAddress, apiTlsCert, apiTlsKey, allowInsecure }: ApiConfig): string | undefined {
  if ((apiTlsCert === '') !== (apiTlsKey === '')) {
    const reason = 'and apiTlsKey (MERIDIAN_API_TLS_KEY) must both be set, or neither';
    throw invalid([{ field: 'apiTlsCert (MERIDIAN_API_TLS_CERT)', reason }], 'Give the certificate and its key, each in a PEM file.');
  }
  if (apiTlsCert !== '' || isLoopbackHost(apiAddress)) return undefined;
  const reason = `can be reached from other machines (${apiAddress}), without TLS: whoever is on the way reads tokens, and can use them`;
  if (!allowInsecure) {
    throw invalid(
      [{ field: 'apiAddress (MERIDIAN_API_ADDRESS)', reason }],
      'Set apiTlsCert and apiTlsKey (MERIDIAN_API_TLS_CERT, MERIDIAN_API_TLS_KEY), or allowInsecure (MERIDIAN_ALLOW_INSECURE) to true.',
    );
  }
  return `the API ${reason}`;
}
