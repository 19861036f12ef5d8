import { CommanderError } from 'commander';
import { asMeridianError, type ErrorCode, type Problem } from '../../../src/errors.ts';
import type { OutputFormat } from '../input/options.ts';
import { toJson } from './output.ts';
import { printable } from './printable.ts';

/** Exit codes (docs/design/interfaces.md#command-line). */
export const REFUSED = 1;
export const NOT_ENFORCED = 3;
const WRONG_USAGE = 2;

/** What went wrong, as scripts read it on standard error. */
interface Failure {
  readonly code: ErrorCode | 'usage';
  readonly message: string;
  readonly problems: readonly Problem[];
  readonly hint: string | null;
}

/**
 * Tells on standard error what was thrown, and gives the exit code. Help and version, which commander throws too, are
 * no failures.
 */
export function tellFailure(thrown: unknown, format: OutputFormat): number {
  if (thrown instanceof CommanderError && isShown(thrown)) return thrown.exitCode === 0 ? 0 : WRONG_USAGE;
  const failure = toFailure(thrown);
  process.stderr.write(format === 'json' ? `${toJson({ error: failure })}\n` : formatFailure(failure));
  return failure.code === 'usage' ? WRONG_USAGE : REFUSED;
}

/** Help and version are printed already. */
function isShown({ code }: CommanderError): boolean {
  return code === 'commander.version' || code === 'commander.help' || code === 'commander.helpDisplayed';
}

function toFailure(thrown: unknown): Failure {
  if (thrown instanceof CommanderError) {
    const message = thrown.message.replace(/^error: /, '');
    return { code: 'usage', message, problems: [], hint: 'see `meridianctl --help`, or `meridianctl COMMAND --help`' };
  }
  const { code, message, problems, hint } = asMeridianError(thrown);
  return { code, message, problems, hint: hint ?? null };
}

/** What, where, and what to do. */
function formatFailure({ message, problems, hint }: Failure): string {
  // The message of `invalid()` repeats the first problem.
  const repeated = problems.some(({ field, reason }) => message.startsWith(`${field}: ${reason}`));
  const lines = [
    `error: ${repeated ? 'the input is not valid' : printable(message)}`,
    ...problems.map(({ field, reason }) => `  ${printable(field)}: ${printable(reason)}`),
    ...(hint === null ? [] : [`hint: ${printable(hint)}`]),
  ];
  return `${lines.join('\n')}\n`;
}
