import { styleText } from 'node:util';

const COLOURS: Readonly<Record<string, 'gray' | 'green' | 'yellow' | 'red'>> = {
  debug: 'gray',
  info: 'green',
  warn: 'yellow',
  error: 'red',
};

/**
 * A line of the log, for a person: the time of day, the level, the component, what happened, and the rest. What is no
 * line of the log stays as it is. With line breaks at the end, as given. `colour`: with ANSI's.
 *
 *   {"level":"info","time":"2026-01-31T12:00:00.000Z","component":"api","port":5681,"msg":"listening"}
 *   ->  12:00:00 info  api: listening  port=5681
 */
export function readableLine(line: string, colour: boolean): string {
  const { level, time, component, msg, ...rest } = parse(line);
  if (typeof level !== 'string' || typeof time !== 'string' || typeof msg !== 'string') return line;
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    colour ? styleText(style, text, { validateStream: false }) : text;
  const details = Object.entries(rest).map(([key, value]) => `${paint('gray', `${key}=`)}${shown(value)}`);
  const said = `${typeof component === 'string' ? `${component}: ` : ''}${withoutControls(msg)}`;
  const head = `${paint('gray', time.slice(11, 19))} ${paint(COLOURS[level] ?? 'gray', level.padEnd(5))} ${said}`;
  return `${[head, details.join(' ')].filter((part) => part !== '').join('  ')}\n`;
}

function parse(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** A text of one word as it is, anything else as JSON: with all control characters escaped. */
function shown(value: unknown): string {
  const plain = typeof value === 'string' && /^[^\s"'=\p{Cc}]+$/u.test(value);
  return withoutControls(plain ? value : JSON.stringify(value));
}

/** What comes from elsewhere must not steer the terminal. */
function withoutControls(text: string): string {
  return text.replace(/\p{Cc}|\p{Bidi_Control}|\p{Zl}|\p{Zp}/gu, (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}
