import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { type ErrorCode, MeridianError, type Problem } from '../../../src/errors.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject } from '../../../src/resource/resource.ts';
import type { Server } from './server-address.ts';

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Parts that are undefined or '' are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly contentType?: string;
}

interface OutgoingRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

/** Longer than any answer takes. Nobody can tell a control plane that hangs from a slow one. */
const TIMEOUT_MS = 60_000;
const PAGE_SIZE = '500';

/**
 * Asks a control plane; gives the JSON that it answers, undefined for an empty answer. Throws what the control plane
 * refuses with, its problems and hint kept, and `unavailable` when nothing of Meridian answers there.
 */
export async function ask(server: Server, path: string, request: ApiRequest = {}): Promise<unknown> {
  const { url, token } = server;
  const { method = 'GET', query = {}, body, contentType = 'application/json' } = request;
  const headers = {
    accept: 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': contentType }),
  };
  const { status, text: received } = await exchange(server, `${path}${formatQuery(query)}`, { method, headers, body });
  const answer = parseJson(received);
  if (status >= 400) throw toError(url, status, answer);
  if (received !== '' && answer === undefined) throw noMeridian(url, `it answers ${status} with something else than JSON`);
  return answer;
}

/**
 * All items of a collection, page after page; `onPage` is told how many there are so far, and what a page says besides.
 */
export async function askAll(
  server: Server,
  path: string,
  narrowed: ApiRequest['query'] = {},
  onPage: (count: number, page: unknown) => void = () => {},
): Promise<JsonObject[]> {
  const { url } = server;
  const items: JsonObject[] = [];
  let query: NonNullable<ApiRequest['query']> = { ...narrowed, size: PAGE_SIZE };
  for (;;) {
    const page = await ask(server, path, { query });
    items.push(...listOf(server, page, 'items'));
    onPage(items.length, page);
    // What a proxy makes of the address of the next page is not followed, only what it asks for.
    const next = isObject(page) && typeof page.next === 'string' ? new URL(page.next, url).searchParams : undefined;
    const following = next && { ...query, ...Object.fromEntries(next) };
    if (!following || JSON.stringify(following) === JSON.stringify(query)) return items;
    query = following;
  }
}

/** The objects in the list `field` of an answer. */
export function listOf({ url }: Server, answer: unknown, field: string): JsonObject[] {
  const list = isObject(answer) ? answer[field] : undefined;
  if (!Array.isArray(list)) throw noMeridian(url, `it answers without a list of ${field}`);
  return (list as readonly unknown[]).filter(isObject);
}

async function exchange(server: Server, target: string, init: OutgoingRequest): Promise<RawAnswer> {
  try {
    return await send(server, target, init);
  } catch (thrown) {
    throw new MeridianError('unavailable', `no control plane answers at ${server.url}: ${whyNot(thrown)}`, {
      hint: isCertificate(thrown)
        ? "give the CA of its certificate with --ca-cert-file, and check that the address is the certificate's"
        : 'check that it is running, and that --url, MERIDIAN_URL or the context is the address of its API',
      cause: thrown,
    });
  }
}

/** Not with `fetch`: that refuses some ports, for the sake of browsers. */
async function send({ url, ca, verify }: Server, target: string, { method, headers, body }: OutgoingRequest): Promise<RawAnswer> {
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  const tls = { ...(ca === undefined ? {} : { ca }), rejectUnauthorized: verify };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(`${url}${target}`, { method, headers, ...tls, signal: AbortSignal.timeout(TIMEOUT_MS) }, resolve);
    outgoing.on('error', reject);
    outgoing.end(body);
  });
  return { status: response.statusCode ?? 0, text: await text(response) };
}

function isCertificate(thrown: unknown): boolean {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  return /^(UNABLE_TO|CERT_|SELF_SIGNED|DEPTH_ZERO|ERR_TLS)/.test(code);
}

/** Where several addresses were tried there is no message, but a code. */
function whyNot(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  if (thrown.name === 'AbortError') return `no answer within ${TIMEOUT_MS / 1000} s`;
  return thrown.message || ('code' in thrown ? String(thrown.code) : thrown.name);
}

function formatQuery(query: NonNullable<ApiRequest['query']>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: whoever asks tells so.
    return undefined;
  }
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'read_only',
  409: 'conflict',
  412: 'precondition_failed',
  413: 'too_large',
  429: 'rate_limited',
  503: 'unavailable',
};

/** What the API answers for a resource that does not exist, and nothing else. */
const NOT_FOUND = 'Not found';
const NEEDS_NAME = 'check the name and the mesh (-m): `meridianctl get KIND` lists what there is';
const NEEDS_TOKEN = 'give a token: --token-file, MERIDIAN_TOKEN, or one that is kept in a context (`config control-planes add`)';

/** What a control plane refused with this answer. */
export function refusalOf({ url }: Server, status: number, body: string): MeridianError {
  return toError(url, status, parseJson(body));
}

/** Kuma's form of errors: `title, detail, invalid_parameters: [{field, reason}]`. */
function toError(url: string, status: number, answer: unknown): MeridianError {
  if (!isObject(answer) || typeof answer.title !== 'string') return noMeridian(url, `it answers ${status} in no form of ours`);
  const { title, detail, hint } = answer;
  // `detail` ends with the hint, for clients that know only that.
  const said =
    typeof detail === 'string' && typeof hint === 'string' && detail.endsWith(`: ${hint}`) ? detail.slice(0, -hint.length - 2) : detail;
  const message = typeof said === 'string' && said !== '' ? `${title}: ${said}` : title;
  const problems = Array.isArray(answer.invalid_parameters) ? answer.invalid_parameters.filter(isProblem) : [];
  const advice = typeof hint === 'string' ? hint : status === 401 ? NEEDS_TOKEN : detail === NOT_FOUND ? NEEDS_NAME : undefined;
  return new MeridianError(CODES[status] ?? 'internal', message, advice === undefined ? { problems } : { problems, hint: advice });
}

function isProblem(value: unknown): value is Problem & JsonObject {
  return isObject(value) && typeof value.field === 'string' && typeof value.reason === 'string';
}

function noMeridian(url: string, what: string): MeridianError {
  return new MeridianError('unavailable', `this does not look like a control plane at ${url}: ${what}`, {
    hint: 'check that --url, MERIDIAN_URL or the context is the address of an API of Meridian',
  });
}
