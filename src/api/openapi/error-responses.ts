import type { Operation } from './operation.ts';

const ANY = [400, 401, 403, 429, 500, 503];
/** A body may come with every method but GET, wanted or not. */
const WITH_BODY = [413, 415];

interface RefusingRoute {
  readonly method: string;
  readonly url: string;
  readonly operation: Pick<Operation, 'refusals'>;
}

/** The statuses with which a route may refuse: those of all, of a body, of what may not be there, and its own. */
export function refusalsOf({ method, url, operation: { refusals = [] } }: RefusingRoute): readonly number[] {
  const all = [...ANY, ...(method === 'GET' ? [] : WITH_BODY), ...(url.includes(':') ? [404] : []), ...refusals];
  return [...new Set(all)].sort((a, b) => a - b);
}
