import type { IncomingMessage } from 'node:http';
import { invalid, MeridianError, type Problem } from '../../errors.ts';
import type { HistoryFilter } from '../../resource/store/history.ts';
import { type Key, parseKri } from '../../resource/key.ts';
import { findKind } from '../../resource/kinds.ts';
import { quote } from '../../resource/field-path.ts';
import type { Reader } from '../../resource/store/store.ts';
import { type WatchStart, startAt } from './watch-position.ts';

/** What a client wants to see, and from where on. */
export interface WatchQuestion {
  readonly filter: HistoryFilter;
  readonly start: WatchStart;
}

const PARAMETERS = ['type', 'mesh', 'kri', 'since'];

/** The path that is upgraded; nothing else is. */
export const PATH = '/_watch';

/**
 * Reads `/_watch?type=&mesh=&kri=&since=`; '' is not said. Throws `not_found` for another path, and `invalid` for a
 * misspelt filter: without it the client would see too much.
 */
export function readQuestion({ url = '' }: IncomingMessage, store: Reader): WatchQuestion {
  const [path = '', ...rest] = url.split('?');
  if (path.replace(/\/$/, '') !== PATH) throw new MeridianError('not_found', `nothing is upgraded at ${path.slice(0, 200)}`);
  const query = new URLSearchParams(rest.join('?'));
  const problems: Problem[] = [...query.keys()]
    .filter((parameter) => !PARAMETERS.includes(parameter))
    .map((parameter) => ({ field: quote(parameter), reason: `must be one of ${PARAMETERS.join(', ')}` }));
  const type = query.get('type') || undefined;
  if (type !== undefined && !findKind(type)) problems.push({ field: 'type', reason: `${quote(type)} is not a kind` });
  if (problems.length > 0) throw invalid(problems);
  const filter = { type, mesh: query.get('mesh') || undefined, key: keyOf(query.get('kri') || undefined) };
  return { filter, start: startAt(query.get('since') || null, store) };
}

function keyOf(kri: string | undefined): Key | undefined {
  return kri === undefined ? undefined : parseKri(kri).key;
}
