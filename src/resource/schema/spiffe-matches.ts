import { foldMatch, type MatchType } from '../string-match.ts';

/**
 * What is wrong with the values that matchers of a MeshTrafficPermission and of a MeshHTTPRoute compare with;
 * undefined: nothing.
 */

/** The methods that a matcher may name, as in Kuma. They are compared letter by letter. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'] as const;

const TRUST_DOMAIN = /^[a-z0-9._-]{1,255}$/;
const SPIFFE_SEGMENT = /^[A-Za-z0-9._-]+$/;

/**
 * A SPIFFE ID, or the beginning of one in whole segments (docs/design/access.md#identities). `spiffe://td/ns/pay` is
 * both, `spiffe://td/` only a prefix. A value that no certificate can hold is refused: a deny that never matches is a
 * hole.
 */
export function spiffeReason(type: MatchType, value: string): string | undefined {
  if (!value.startsWith('spiffe://')) return 'must begin with spiffe://';
  if (value.length > 2048) return 'is longer than 2048 characters';
  const id = foldMatch({ type, value }, { Exact: (whole) => whole, Prefix: (start) => start });
  const [domain = '', ...segments] = id.slice('spiffe://'.length).split('/');
  if (!TRUST_DOMAIN.test(domain)) return 'must name a trust domain: lower-case letters, digits, ".", "-" and "_"';
  const bad = segments.find((segment) => !SPIFFE_SEGMENT.test(segment) || segment === '.' || segment === '..');
  if (bad === undefined) return undefined;
  return bad === ''
    ? 'must have no empty path segment'
    : 'must have path segments of letters, digits, ".", "-" and "_", and none of dots alone';
}

/**
 * A path as Envoy compares it: without the query, and normalised (`//`, `/./` and `/../` are gone, escapes of plain
 * characters are written out). Any other value would never match, and a deny that never matches is a hole.
 */
export function pathReason(value: string): string | undefined {
  if (!value.startsWith('/')) return 'must begin with "/"';
  if (/[?#]/.test(value)) return 'must have no "?" and no "#": a path is compared without its query';
  if (!/^[\x21-\x7e]+$/.test(value) || value.includes('\\'))
    return 'must be of visible ASCII characters without "\\": escape others with "%"';
  if (/;|%3b/i.test(value))
    return 'must have no ";", nor "%3B": requests with one are refused, since applications read them in different ways';
  const segments = value.split('/').slice(1, -1);
  if (segments.includes('') || /(^|\/)\.\.?(\/|$)/.test(value)) return 'must be normalised: no "//", "/./" or "/../"';
  return escapeReason(value);
}

function escapeReason(value: string): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(value)) return 'must have two hexadecimal digits after each "%"';
  const escaped = (value.match(/%../g) ?? []).map((escape) => String.fromCharCode(Number.parseInt(escape.slice(1), 16)));
  return escaped.some((character) => /[A-Za-z0-9._~/\\-]/.test(character))
    ? 'must be normalised: letters, digits, "-", ".", "_", "~" and "/" are not escaped'
    : undefined;
}
