import { type Logger, pino } from 'pino';
import type { Report } from '../report.ts';
import { readableLine } from './readable-lines.ts';
import { LogDestination, type LogLoss } from './log-destination.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** The log, and what is missing in it. */
export interface Log {
  readonly logger: Logger;
  readonly loss: () => LogLoss;
}

/**
 * JSON lines on standard output: `{"level":"info","time":"2026-01-31T12:00:00.000Z","msg":"listening",...}`; on a
 * terminal, lines for a person. Written at once, so that nothing is lost when the process ends.
 */
export function createLogger(level: LogLevel): Log {
  const { isTTY } = process.stdout;
  const colour = isTTY && process.stdout.hasColors();
  const written = (line: string) => (isTTY ? readableLine(line, colour) : line);
  const destination = new LogDestination((lost, reason) => written(lossLine(lost, reason)));
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return { logger: pino(options, { write: (line: string) => destination.write(written(line)) }), loss: () => destination.loss() };
}

function lossLine(lost: number, reason: string): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: 'error', time, component: 'log', lost, reason, msg: 'lines of the log were lost' })}\n`;
}

/** A component's way to the log. */
export function reporter(log: Logger, component: string): Report {
  const own = log.child({ component });
  return (level, event, details) => own[level](details, event);
}
