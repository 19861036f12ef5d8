import type { Matcher } from '../../resource/permission.ts';
import { matchesText, type StringMatch } from '../../resource/string-match.ts';
import { isOtherSpelling } from './path-spellings.ts';
import type { RequestSubject } from './read-request.ts';

/** Whether a condition holds; `maybe`: it can't be told from what is known of the request. */
export type Certainty = 'yes' | 'maybe' | 'no';

/**
 * Whether a matcher of a deny list holds (docs/design/access.md#identities): for any of the client's URI SANs. What
 * can't be seen, as the path of a TCP connection, is taken to hold.
 */
export function denies(matcher: Matcher, subject: RequestSubject): boolean {
  const { spiffeId } = matcher;
  const known = spiffeId === undefined || subject.sans.some((san) => matchesText(spiffeId, san));
  return known && httpAnswer(matcher, subject) !== 'no';
}

/**
 * Whether a matcher of an allow list holds: only for a client with exactly one URI SAN, for with several nobody can say
 * who it is, and only if all that it asks for can be seen.
 */
export function allows(matcher: Matcher, subject: RequestSubject): boolean {
  const [san, ...others] = subject.sans;
  if (san === undefined || others.length > 0) return false;
  return (matcher.spiffeId === undefined || matchesText(matcher.spiffeId, san)) && httpAnswer(matcher, subject) === 'yes';
}

function httpAnswer({ method, path }: Matcher, subject: RequestSubject): Certainty {
  const methods = method === undefined ? 'yes' : answer(subject, subject.method, (given) => given === method);
  return all([methods, path === undefined ? 'yes' : pathAnswer(subject, path)]);
}

/** Whether a request is for a path; another spelling may be read as it. */
export function pathAnswer(subject: RequestSubject, path: StringMatch): Certainty {
  const given = answer(subject, subject.path, (asked) => matchesText(path, asked));
  return given === 'no' && isOtherSpelling(path, subject.path ?? '') ? 'maybe' : given;
}

/** Asks about a part of the request, if it can be seen. */
export function answer({ protocol }: RequestSubject, part: string | undefined, holds: (part: string) => boolean): Certainty {
  if (protocol === 'tcp' || part === undefined) return 'maybe';
  return holds(part) ? 'yes' : 'no';
}

/** All of them: the worst answer. */
export function all(answers: readonly Certainty[]): Certainty {
  return answers.includes('no') ? 'no' : answers.includes('maybe') ? 'maybe' : 'yes';
}
