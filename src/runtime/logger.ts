import { type Logger, pino } from 'pino';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What the parts of the program call to tell an operator something. Secrets are never in the details. */
export type Report = (level: Exclude<LogLevel, 'debug'>, event: string, details: Readonly<Record<string, unknown>>) => void;

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
