import type { EnvoyVersion } from '../wire/delta-messages.ts';

/** The oldest Envoy whose matchers behave as the RBAC needs (1.36, 1.38 and 1.40 were tried). */
const OLDEST = { major: 1, minor: 36 };

/** Why this Envoy can't be served; undefined: it can. */
export function whyTooOld(version: EnvoyVersion | undefined): string | undefined {
  const needed = `Envoy ${OLDEST.major}.${OLDEST.minor} or later is needed`;
  if (!version) return `the proxy does not say which Envoy it is: ${needed}`;
  const { major, minor } = version;
  const isOld = major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor);
  return isOld ? `Envoy ${formatVersion(version)} is too old: ${needed}` : undefined;
}

export function formatVersion({ major, minor, patch }: EnvoyVersion): string {
  return `${major}.${minor}.${patch}`;
}
