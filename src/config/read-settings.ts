import { invalid, type Problem } from '../errors.ts';
import type { Setting, Settings, Values } from './settings.ts';

/** Where a value comes from: the variables of the process, and what the file holds. */
export interface SettingSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly file: Readonly<Record<string, unknown>>;
}

/**
 * The values of all settings. The environment wins over the file. Throws `invalid` with every problem at once; each
 * names the key and the variable, and says what is expected. A value is never repeated: it may hold a password.
 *
 *   file { apiPort: 1234 }, MERIDIAN_API_PORT=5000   -> apiPort 5000
 *   file { apiport: 1234 }                           -> refused: there is no such key
 */
export function readSettings<S extends Settings>(settings: S, { environment, file }: SettingSources): Values<S> {
  const values: Record<string, unknown> = {};
  const problems: Problem[] = unknownKeys(settings, file);
  for (const [key, setting] of Object.entries(settings)) {
    const given = fromEnvironment(setting, environment) ?? fromFile(file, key);
    const parsed = setting.schema.safeParse(given ?? setting.fallback);
    if (parsed.success) values[key] = parsed.data;
    else
      problems.push({ field: `${key} (${setting.variable})`, reason: given === undefined ? 'must be set' : `must be ${setting.expects}` });
  }
  if (problems.length > 0) throw invalid(problems, 'Correct the configuration file (-c FILE) or the environment variable.');
  return values as Values<S>;
}

function fromEnvironment({ variable, mayBeEmpty }: Setting<unknown>, environment: SettingSources['environment']): string | undefined {
  const given = environment[variable];
  return given === '' && !mayBeEmpty ? undefined : given;
}

/** A key without a value counts as absent. */
function fromFile(file: SettingSources['file'], key: string): unknown {
  return Object.hasOwn(file, key) ? (file[key] ?? undefined) : undefined;
}

function unknownKeys(settings: Settings, file: SettingSources['file']): Problem[] {
  const unknown = Object.keys(file).filter((key) => !Object.hasOwn(settings, key));
  return unknown.map((key) => ({ field: key, reason: `is not a key here; the keys are ${Object.keys(settings).join(', ')}` }));
}
