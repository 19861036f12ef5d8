import { token, who } from './session.ts';

/** An answer that is no success, in the API's words. */
export class RefusedAnswer extends Error {
  readonly status: number;
  /** What is wrong with which field. */
  readonly problems: readonly RefusedField[];
  constructor(status: number, detail: string, problems: readonly RefusedField[]) {
    super(detail);
    this.status = status;
    this.problems = problems;
  }
}

interface RefusedField {
  readonly field: string;
  readonly reason: string;
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

/** The same with the state that it is of. */
export async function getTagged<T>(path: string): Promise<{ readonly value: T; readonly tag: string }> {
  const answer = await send(path, {});
  return { value: await read<T>(answer), tag: answer.headers.get('etag') ?? '' };
}

/** Asks with a body: a text is YAML. Only the editor's Apply changes something so. */
export function post<T>(path: string, body: object | string): Promise<T> {
  return ask<T>(path, { method: 'POST', ...bodyOf(body) });
}

/** Replaces a resource with a YAML text that was made from the state of `tag`: refused where it is another by now. */
export async function put(path: string, text: string, tag: string): Promise<void> {
  const { headers, body } = bodyOf(text);
  await ask(path, { method: 'PUT', headers: { ...headers, 'if-match': tag }, body });
}

function bodyOf(body: object | string): { readonly headers: Record<string, string>; readonly body: string } {
  const isYaml = typeof body === 'string';
  return {
    headers: { 'content-type': isYaml ? 'application/yaml' : 'application/json' },
    body: isYaml ? body : JSON.stringify(body),
  };
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
  const body = (await answer.json()) as { detail?: string; invalid_parameters?: readonly RefusedField[] };
  if (answer.ok) return body as T;
  if (answer.status === 401) who.value = 'nobody';
  throw new RefusedAnswer(answer.status, body.detail ?? `the API answered ${answer.status}`, body.invalid_parameters ?? []);
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
