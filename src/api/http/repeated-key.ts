/** An object that is being read: its keys so far. undefined: a list. */
type OpenObject = Set<string> | undefined;

/**
 * The first key that an object of a JSON text has twice, or undefined. The text must be JSON: it was parsed before, and
 * the parser took the last of them without a word.
 *
 *   {"a": {"b": 1}, "b": 2}    -> undefined
 *   {"deny": [1], "deny": []}  -> deny
 */
export function repeatedKey(json: string): string | undefined {
  const open: OpenObject[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const letter = json[at];
    if (letter === '{') open.push(new Set());
    else if (letter === '[') open.push(undefined);
    else if (letter === '}' || letter === ']') open.pop();
    if (letter !== '"') continue;
    const end = endOfString(json, at);
    const keys = open.at(-1);
    if (keys && isKey(json, end)) {
      const key = textOf(json.slice(at, end));
      if (keys.has(key)) return key;
      keys.add(key);
    }
    at = end - 1;
  }
  return undefined;
}

/** The position after the closing quote of the string that opens at `start`. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Few keys have escapes, and a parser for each of them costs more than all the rest. */
function textOf(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

function isKey(json: string, end: number): boolean {
  let at = end;
  while (' \t\r\n'.includes(json[at] ?? '-')) at += 1;
  return json[at] === ':';
}
