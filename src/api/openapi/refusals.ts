import type { Operation } from './operation.js';

const ANY = [400, 401, 403, 429, 500, 503];
const WITH_BODY = [413, 415];

/** The statuses with which a route may refuse: those of all, of routes with a body, of those about something that may not be there, its own. */
export function refusalsOf(url: string, { body, refusals = [] }: Pick<Operation, 'body' | 'refusals'>): readonly number[] {
  const all = [...ANY, ...(body ? WITH_BODY : []), ...(url.includes(':') ? [404] : []), ...refusals];
  return [...new Set(all)].sort((a, b) => a - b);
}
