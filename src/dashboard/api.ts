import { token, who } from './session.ts';

/** An answer that is no success, in the API's words. */
export class RefusedAnswer extends Error {
  readonly status: number;
  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

/** A list as the API writes it. */
export interface List<T> {
  readonly total: number;
  readonly items: readonly T[];
}

/** Asks the API, with the token in a header. Throws RefusedAnswer; 401 ends the session. */
export function get<T>(path: string): Promise<T> {
  return ask<T>(path, {});
}

/** Answers with their tags, the latest last. */
const kept = new Map<string, { readonly tag: string; readonly value: unknown }>();
const MOST_KEPT = 4;

/** The same of what may be large: what is unchanged is not sent again, and is the same object as last time. */
export async function getKept<T>(path: string): Promise<T> {
  const known = kept.get(path);
  const answer = await send(path, known ? { headers: { 'if-none-match': known.tag } } : {});
  // Only what was kept is asked about so.
  if (answer.status === 304 && known) return known.value as T;
  const value = await read<T>(answer);
  kept.delete(path);
  kept.set(path, { tag: answer.headers.get('etag') ?? '', value });
  for (const oldest of [...kept.keys()].slice(0, -MOST_KEPT)) kept.delete(oldest);
  return value;
}

/** The same with a body. The page changes nothing: it asks questions only. */
export function post<T>(path: string, body: object): Promise<T> {
  return ask<T>(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  return read<T>(await send(path, init));
}

function send(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token.value !== '') headers.set('authorization', `Bearer ${token.value}`);
  return fetch(path, { ...init, headers, redirect: 'error' });
}

async function read<T>(answer: Response): Promise<T> {
  const body = (await answer.json()) as { detail?: string };
  if (answer.ok) return body as T;
  if (answer.status === 401) who.value = 'nobody';
  throw new RefusedAnswer(answer.status, body.detail ?? `the API answered ${answer.status}`);
}

/** What identifies a resource in our answers. */
export interface KeyFields {
  readonly kri: string;
  readonly type: string;
  readonly mesh: string;
  readonly zone: string;
  readonly namespace: string;
  readonly name: string;
}

/** One path with its parameters; those that are '' are left out. */
export function path(base: string, query: Readonly<Record<string, string | number>>): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === '' ? [] : [[name, String(value)] as [string, string]]));
  return given.length === 0 ? base : `${base}?${new URLSearchParams(given).toString()}`;
}
