import type { RouteMatch } from '../../resource/route-match.ts';
import type { ViaRoute } from '../match/route-selection.ts';
import { type Certainty, all, answer, pathAnswer } from './match-request.ts';
import type { RequestSubject } from './read-request.ts';

/**
 * Whether a request comes through one of the routes that a policy targets. `maybe`: it can't be told, since the
 * protocol is TCP, or the route asks for what is not looked at here (headers, query parameters, regular expressions),
 * or can't be read.
 */
export function comesThrough(via: readonly ViaRoute[] | undefined, subject: RequestSubject): Certainty {
  if (via === undefined) return 'yes';
  const answers = via.flatMap(({ matches, certain }) => matches.map((match) => meets(match, certain, subject)));
  return answers.includes('yes') ? 'yes' : answers.includes('maybe') ? 'maybe' : 'no';
}

function meets({ method, path, certain }: RouteMatch, isWay: boolean, subject: RequestSubject): Certainty {
  return all([
    // An empty match is for everything, but no request of a TCP connection can be told from another.
    certain && isWay && subject.protocol === 'http' ? 'yes' : 'maybe',
    method === undefined ? 'yes' : answer(subject, subject.method, (given) => given === method),
    path === undefined ? 'yes' : pathAnswer(subject, path),
  ]);
}
