import { MeridianError } from '../../../src/errors.ts';
import { isSafeOnTheWay } from '../api/server-address.ts';

const TIMEOUT_MS = 60_000;
/** What a control plane takes at once. */
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_REDIRECTS = 5;

/** Whether a path behind `-f` is an address. */
export function isAddress(path: string): boolean {
  return /^https?:\/\//i.test(path);
}

/**
 * What stands at an address: over HTTPS, or plain HTTP on this machine, since whoever changes it on its way changes
 * what is applied. No token is sent. It may lead on to other addresses over HTTPS. Throws `invalid`, `too_large`,
 * `not_found` or `unavailable`.
 */
export async function fetchSource(address: string): Promise<Uint8Array> {
  let [url, left] = [admitAddress(address), MOST_REDIRECTS];
  for (;;) {
    const response = await answerOf(url);
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null) return bodyOf(response, url);
    await response.body?.cancel();
    url = new URL(location, url);
    if (left-- === 0) throw new MeridianError('unavailable', `${address} leads on more than ${MOST_REDIRECTS} times`);
    if (url.protocol !== 'https:')
      throw new MeridianError('invalid', `${address} leads to ${url.href}`, { hint: 'only HTTPS is followed: give that address itself' });
  }
}

/** Throws `invalid`. */
function admitAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url) throw new MeridianError('invalid', `${address} is no address`);
  if (url.username !== '' || url.password !== '')
    throw new MeridianError('invalid', 'an address behind -f must have no credentials in it: they would be shown', {
      hint: 'fetch it with a tool of yours, and give it as -f -',
    });
  if (isSafeOnTheWay(url)) return url;
  throw new MeridianError('invalid', `${address} is plain HTTP to another machine: anybody on the way can change what is applied`, {
    hint: 'use https://',
  });
}

async function answerOf(url: URL): Promise<Response> {
  try {
    return await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (thrown) {
    throw unreachable(url, thrown);
  }
}

async function bodyOf(response: Response, { href }: URL): Promise<Uint8Array> {
  if (response.status !== 200) {
    const code = response.status === 404 ? 'not_found' : 'unavailable';
    throw new MeridianError(code, `${href} answers ${response.status}`, { hint: 'check the address behind -f' });
  }
  const chunks: Uint8Array[] = [];
  let received = 0;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      received += chunk.length;
      if (received > MOST_BYTES) throw new MeridianError('too_large', `${href} is larger than ${MOST_BYTES / 1024 / 1024} MiB`);
    }
  } catch (thrown) {
    throw thrown instanceof MeridianError ? thrown : unreachable(new URL(href), thrown);
  }
  return Buffer.concat(chunks);
}

/** `fetch` says why in the cause. */
function unreachable({ href }: URL, thrown: unknown): MeridianError {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const why = cause instanceof Error ? cause.message || ('code' in cause ? String(cause.code) : cause.name) : String(cause);
  return new MeridianError('unavailable', `${href} can't be read: ${why}`, { hint: 'check the address behind -f', cause: thrown });
}
