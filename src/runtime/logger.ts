import { type Logger, pino } from 'pino';
import type { Report } from '../report.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/**
 * JSON lines on standard output: `{"level":"info","time":"2026-01-31T12:00:00.000Z","msg":"listening",...}`. Written at
 * once, so that nothing is lost when the process ends.
 */
export function createLogger(level: LogLevel): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } },
    pino.destination({ fd: 1, sync: true }),
  );
}

/** A component's way to the log. */
export function reporter(log: Logger, component: string): Report {
  const own = log.child({ component });
  return (level, event, details) => own[level](details, event);
}
