import { foldMatch, type MatchCases, type StringMatch } from '../../resource/string-match.ts';

/** How many characters of a path are told apart; what differs behind them is taken for another spelling altogether. */
const TOLD_APART = 16;

/** An escape, or a character that may be escaped: Envoy writes out letters, digits and these alone. */
const ESCAPABLE = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9._~/-]/g;

/** What ends a path, or is refused before the rules are asked. */
const NEVER_PLAIN = '?#;\\';

/**
 * The beginnings of other spellings of what a match compares with. Envoy leaves `!` and `%21` as they are, and `%2a`
 * beside `%2A`; an application reads them as one. What begins so may mean the path: a deny holds for it, an allow never
 * does.
 *
 *   /a!b  ->  /a%21,    /x%2Ay  ->  /x*, /x%2a,    /admin  ->  none
 */
export function otherSpellings(match: StringMatch): readonly string[] {
  return foldMatch(match, SPELLINGS);
}

const SPELLINGS: MatchCases<readonly string[]> = { Exact: beginnings, Prefix: beginnings };

function beginnings(path: string): readonly string[] {
  const found: string[] = [];
  let seen = 0;
  for (const { 0: token, index } of path.matchAll(ESCAPABLE)) {
    const before = path.slice(0, index);
    if (++seen > TOLD_APART) return [...found, before];
    found.push(...spellingsOf(token).map((spelling) => before + spelling));
  }
  return found;
}

/** Whether a path may be another spelling of one that is compared with. */
export function isOtherSpelling(match: StringMatch, path: string): boolean {
  return otherSpellings(match).some((start) => path.startsWith(start));
}

function spellingsOf(token: string): string[] {
  const code = token.length === 1 ? token.charCodeAt(0) : Number.parseInt(token.slice(1), 16);
  const plain = String.fromCharCode(code);
  const [high = '', low = ''] = code.toString(16).padStart(2, '0');
  const escapes = eitherCase(high).flatMap((first) => eitherCase(low).map((second) => `%${first}${second}`));
  const visible = code > 0x20 && code < 0x7f && !NEVER_PLAIN.includes(plain);
  return [...(visible ? [plain] : []), ...escapes].filter((spelling) => spelling !== token);
}

function eitherCase(digit: string): string[] {
  return [...new Set([digit, digit.toUpperCase()])];
}
