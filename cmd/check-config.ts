import { accessSync, constants } from 'node:fs';
import { apiInsecurity } from '../src/config/api-security.ts';
import { whyUnreadable } from '../src/config/config-file.ts';
import { insecurity, natsTls, xdsTls } from '../src/config/nats-security.ts';
import { AT_GLOBAL, type GlobalConfig, ZONE, type ZoneConfig } from '../src/config/settings.ts';
import { unreadVariables } from '../src/config/unread-variables.ts';
import { requireSite } from '../src/control/operate/first-start.ts';
import { asMeridianError, invalid, type MeridianError, type Problem } from '../src/errors.ts';

/** What `--check-config` finds. */
interface ConfigCheck {
  readonly errors: readonly MeridianError[];
  readonly warnings: readonly string[];
}

/** The settings that name files which must be there when the daemon starts. */
const FILES = ['natsCreds', 'natsCa', 'natsCert', 'natsKey', 'apiTlsCert', 'apiTlsKey', 'xdsTlsCert', 'xdsTlsKey', 'xdsClientCa'] as const;

/**
 * All that is wrong with values that were read, as far as it can be known without starting. A port that is taken, and a
 * NATS that is away, are no faults of a configuration.
 */
export function checkConfig(config: GlobalConfig & Partial<ZoneConfig>): ConfigCheck {
  const errors: MeridianError[] = [];
  const warnings = warningsOf(process.env);
  const looks: readonly (() => unknown)[] = [
    () => insecurity(config),
    () => apiInsecurity(config),
    () => natsTls(config),
    () => isZone(config) && xdsTls(config),
    () => requireSite(config.siteAttributes ?? {}),
    () => requireFiles(config),
  ];
  for (const look of looks) {
    try {
      const found = look();
      if (typeof found === 'string') warnings.push(found);
    } catch (thrown) {
      errors.push(asMeridianError(thrown));
    }
  }
  return { errors, warnings };
}

/** What is to be said of the variables of a process: those that nobody reads. */
export function warningsOf(environment: Readonly<Record<string, string | undefined>>): string[] {
  return unreadVariables(environment).map(
    ({ name, meant }) => `${name} is set, and no daemon reads it${meant === undefined ? '' : `: was ${meant} meant?`}`,
  );
}

function isZone(config: GlobalConfig & Partial<ZoneConfig>): config is ZoneConfig {
  return config.zoneName !== undefined;
}

function requireFiles(config: GlobalConfig & Partial<ZoneConfig>): void {
  const problems = FILES.flatMap((key): Problem[] => {
    const path = config[key];
    const reason = path === undefined || path === '' ? undefined : unreadable(path);
    return reason === undefined
      ? []
      : [{ field: `${key} (${{ ...AT_GLOBAL, ...ZONE }[key].variable})`, reason: `can't be read: ${reason}` }];
  });
  if (problems.length > 0) throw invalid(problems, 'Each names a file which this user can read.');
}

function unreadable(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (thrown) {
    return whyUnreadable(thrown);
  }
}
