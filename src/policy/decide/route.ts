import { asArray, asObject, asText, isAbsent } from '../../naming/json.ts';
import type { JsonObject } from '../../resource/resource.ts';
import type { Via } from '../match/route.ts';
import { type Answer, all, answer, matchesText } from './matcher.ts';
import type { Subject } from './request.ts';

/**
 * Whether a request comes through one of the routes that a policy targets. `maybe`: it can't be told, since the
 * protocol is TCP, or the route asks for what is not looked at here (headers, query parameters, regular expressions).
 */
export function comesThrough(via: readonly Via[] | undefined, subject: Subject): Answer {
  if (via === undefined) return 'yes';
  const answers = via.flatMap(({ matches, certain }) => matches.map((match) => all([certain ? 'yes' : 'maybe', meets(match, subject)])));
  return answers.includes('yes') ? 'yes' : answers.includes('maybe') ? 'maybe' : 'no';
}

function meets(match: JsonObject, subject: Subject): Answer {
  const method = asText(match.method);
  return all([
    // An empty match is for everything, but no request of a TCP connection can be told from another.
    subject.protocol === 'tcp' ? 'maybe' : 'yes',
    method === undefined ? 'yes' : answer(subject, subject.method, (given) => given === method),
    isAbsent(match.path) ? 'yes' : meetsPath(asObject(match.path) ?? {}, subject),
    isAbsent(match.headers) && asArray(match.queryParams).length === 0 ? 'yes' : 'maybe',
  ]);
}

function meetsPath({ type, value }: JsonObject, subject: Subject): Answer {
  const kind = type === 'Exact' ? 'Exact' : type === 'PathPrefix' || type === 'Prefix' ? 'Prefix' : undefined;
  if (kind === undefined || typeof value !== 'string') return 'maybe';
  return answer(subject, subject.path, (path) => matchesText({ type: kind, value }, path));
}
