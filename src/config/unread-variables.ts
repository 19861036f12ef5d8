import { nearest } from '../resource/documents/nearest-word.ts';
import { AT_GLOBAL, ZONE } from './settings.ts';

const PREFIX = 'MERIDIAN_';
/** What `meridianctl` reads, and what the tests and benchmarks of this repository do. */
const OF_OTHERS = ['CONFIG', 'CA_CERT_FILE', 'TOKEN', 'TOKEN_FILE', 'URL'].map((name) => PREFIX + name);
const READ = [...Object.values(AT_GLOBAL), ...Object.values(ZONE)].map(({ variable }) => variable).concat(OF_OTHERS);
/** Kubernetes sets such ones in each pod, for a Service `meridian-...`. */
const OF_A_SERVICE = /_SERVICE_HOST$|_SERVICE_PORT(_\w+)?$|_PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?$/;

/**
 * The variables `MERIDIAN_...` that no daemon reads, each with the one that was probably meant: a mistake in a name
 * would else go unseen, and the default hold. Their values are not repeated.
 *
 *   MERIDIAN_ZONENAME=east                       ->  MERIDIAN_ZONENAME, MERIDIAN_ZONE_NAME
 *   MERIDIAN_GLOBAL_PORT=tcp://10.0.0.7:5681     ->  nothing: it is Kubernetes' own
 */
export function unreadVariables(environment: Readonly<Record<string, string | undefined>>) {
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !READ.includes(name) && !OF_A_SERVICE.test(name))
    .sort()
    .map((name) => ({ name, meant: nearest(name, READ) }));
}
