import { apiInsecurity } from '../src/config/api-security.ts';
import { VerdictCounts } from '../src/control/access/verdict-counts.ts';
import { readArguments, usage } from '../src/config/command-line.ts';
import { readConfigFile } from '../src/config/config-file.ts';
import { readSettings } from '../src/config/read-settings.ts';
import { insecurity } from '../src/config/nats-security.ts';
import type { GlobalConfig, Settings, Values } from '../src/config/settings.ts';
import { asMeridianError, type MeridianError } from '../src/errors.ts';
import { checkConfig, warningsOf } from './check-config.ts';
import type { Logger } from 'pino';
import { createLogger, reporter } from '../src/runtime/logger.ts';
import type { LogLoss } from '../src/runtime/log-destination.ts';
import type { Report } from '../src/report.ts';
import { Supervisor } from '../src/runtime/supervisor.ts';
import { readVersion } from './version.ts';

/** What every part of a daemon is started with. */
export interface DaemonContext<C extends GlobalConfig = GlobalConfig> {
  readonly config: C;
  readonly version: string;
  readonly supervisor: Supervisor;
  /** The way to the log for one component. */
  readonly report: (component: string) => Report;
  /** Lines that are missing in the log. */
  readonly logLoss: () => LogLoss;
  /** What is allowed although it is not safe. */
  readonly insecure: readonly string[];
  /** What was decided about access by attributes. */
  readonly verdicts: VerdictCounts;
}

const GRACE = 10_000;

/**
 * Runs a daemon: its arguments, its configuration, `start`, and then whatever `start` began, until a signal. Exit
 * codes: 0 stopped, 1 failed, 2 wrong arguments or configuration.
 */
export async function runDaemon<S extends Settings>(
  name: string,
  settings: S,
  start: (daemon: DaemonContext<GlobalConfig & Values<S>>) => Promise<void>,
): Promise<void> {
  // Node's own warnings go there, and must not end the process where they can't be written.
  process.stderr.on('error', () => {});
  const version = readVersion();
  const config = configure<S>(name, version, settings);
  const { logger, loss: logLoss } = createLogger(config.logLevel);
  const report = (component: string): Report => reporter(logger, component);
  const supervisor = new Supervisor({ report: report('supervisor'), tell: tellOutsideTerminals, grace: GRACE, process });
  try {
    const insecure = [insecurity(config), apiInsecurity(config)].filter((one) => one !== undefined);
    for (const one of [...insecure, ...warningsOf(process.env)]) report('config')('warn', one, {});
    report('supervisor')('info', 'starting', { program: name, version });
    await start({ config, version, supervisor, report, logLoss, insecure, verdicts: new VerdictCounts() });
  } catch (thrown) {
    const error = asMeridianError(thrown);
    fail(error, logger);
    await supervisor.stop(isConfiguration(error) ? 2 : 1);
  }
}

/** Ends the process for `--help`, `--version`, and what is wrong. */
function configure<S extends Settings>(name: string, version: string, settings: S): GlobalConfig & Values<S> {
  try {
    const { config: path, 'check-config': check, help, version: asked } = readArguments(process.argv.slice(2));
    if (help) finish(usage(name, settings));
    if (asked) finish(`${version}\n`);
    const file = path === undefined ? {} : readConfigFile(path);
    const config = readSettings(settings, { environment: process.env, file }) as GlobalConfig & Values<S>;
    if (check) finishCheck(config);
    return config;
  } catch (thrown) {
    fail(asMeridianError(thrown), createLogger('error').logger);
    process.exit(2);
  }
}

/** Says what is wrong and what is unsafe, and ends the process. */
function finishCheck(config: GlobalConfig): never {
  const { errors, warnings } = checkConfig(config);
  for (const error of errors) tell(error);
  for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`);
  if (errors.length > 0) process.exit(2);
  finish('The configuration is right.\n');
}

/** In the log and on standard error: a person reads one, a machine the other. */
function fail(error: MeridianError, logger: Logger): void {
  tell(error);
  const { code, message, hint } = error;
  if (!isLogOnTerminal()) reporter(logger, 'supervisor')('error', 'the start failed', { code, reason: message, hint });
}

function finish(text: string): never {
  process.stdout.write(text);
  process.exit(0);
}

/** A configuration that can't be used: it says which setting. */
function isConfiguration({ code, problems }: MeridianError): boolean {
  return code === 'invalid' && problems.length > 0;
}

/** Then log and standard error are the same place, and what is said in one is not said again. */
function isLogOnTerminal(): boolean {
  return process.stdout.isTTY;
}

function tellOutsideTerminals(reason: string): void {
  if (!isLogOnTerminal()) process.stderr.write(`${reason}\n`);
}

/** For a person, on standard error. */
function tell({ code, message, problems, hint, stack }: MeridianError): void {
  const lines =
    problems.length > 0 ? problems.map(({ field, reason }) => `${field} ${reason}`) : [code === 'internal' ? (stack ?? message) : message];
  process.stderr.write([...lines, ...(hint === undefined ? [] : [hint])].map((line) => `${line}\n`).join(''));
}
