import { foldMatch, type MatchCases, type StringMatch } from '../../resource/string-match.ts';
import { allOf, anyOf, ASKS_ZONE, MARK, not, type Predicate, reads, URI_SANS } from './envoy-matchers.ts';

/**
 * Questions about the URI SANs of a client. Envoy gives a matcher all of them in one text, with commas between them:
 * one of them is the whole text, its beginning up to a comma, its end after one, or stands between two. No SAN holds a
 * comma itself: a SPIFFE ID can't, and neither can the tags that a control plane writes there
 * (src/resource/schema/kind-fields.ts). Where one does, a deny matches more, an allow list nothing, and our own
 * listeners close the connection first (src/xds/envoy/sans-filter.ts).
 *
 *   spiffe://td/a,kuma://env/dev   has spiffe://td/a and kuma://env/dev, not spiffe://td
 */

const COMMA = reads(URI_SANS, { contains: ',' });

export const SEVERAL = COMMA;

/** An allow list is for a client with exactly one URI SAN; every URI has a colon. */
export const NOT_ONE = anyOf([not(reads(URI_SANS, { contains: ':' })), COMMA]);

/** The client has this SAN, among others or alone. */
export function has(san: string): Predicate {
  return anyOf([
    reads(URI_SANS, { exact: san }),
    reads(URI_SANS, { prefix: `${san},` }),
    reads(URI_SANS, { suffix: `,${san}` }),
    reads(URI_SANS, { contains: `,${san},` }),
  ]);
}

/** The client has a SAN that begins so. */
export function hasBelow(start: string): Predicate {
  return anyOf([reads(URI_SANS, { prefix: start }), reads(URI_SANS, { contains: `,${start}` })]);
}

/**
 * The client has one SAN, which is not of the zone itself (`home`, a trust domain), and the listener asks the zone
 * about such clients.
 */
export function isAskedAbout(home: string): Predicate {
  return allOf([reads(MARK, { exact: ASKS_ZONE.value }), not(NOT_ONE), not(reads(URI_SANS, { prefix: `${home}/` }))]);
}

/** One of the client's SANs is meant. */
export function hasId(id: StringMatch): Predicate {
  return foldMatch(id, SOME_SAN);
}

/** The client's only SAN is meant. */
export function isId(id: StringMatch): Predicate {
  return foldMatch(id, ONLY_SAN);
}

const SOME_SAN: MatchCases<Predicate> = {
  Exact: has,
  Prefix: (start) => anyOf([has(start), hasBelow(`${start}/`)]),
};

const ONLY_SAN: MatchCases<Predicate> = {
  Exact: isWhole,
  Prefix: (start) => anyOf([isWhole(start), reads(URI_SANS, { prefix: `${start}/` })]),
};

function isWhole(san: string): Predicate {
  return reads(URI_SANS, { exact: san });
}
