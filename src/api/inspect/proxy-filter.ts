import { invalid } from '../../errors.ts';
import { asArray, asObject } from '../../naming/json.ts';
import { includesAll, textsOf } from '../../policy/match/proxy-tags.ts';
import type { JsonObject, Resource } from '../../resource/resource.ts';

type ProxyPredicate = (dataplane: Resource) => boolean;

/**
 * Kuma's filters of proxies: `tag=kuma.io/service:web`, each of which one inbound (or the gateway) must have, and
 * `gateway=true|false|builtin|delegated`. undefined: nothing is filtered. Throws `invalid`.
 */
export function proxyFilter(query: URLSearchParams): ProxyPredicate | undefined {
  const tags = query.getAll('tag').filter((tag) => tag !== '');
  const gateway = query.get('gateway') || undefined;
  if (tags.length === 0 && gateway === undefined) return undefined;
  const wanted = Object.fromEntries(tags.map(readTag));
  const isWanted = GATEWAYS.get(gateway ?? '');
  if (!isWanted) throw invalid([{ field: 'gateway', reason: 'must be one of true, false, builtin, delegated' }]);
  return ({ spec }) => {
    const networking = asObject(spec.networking) ?? {};
    const sides = [networking.gateway, ...asArray(networking.inbound)].map(asObject);
    return isWanted(asObject(networking.gateway)) && sides.some((side) => side && includesAll(textsOf(side.tags), wanted));
  };
}

function readTag(text: string): [key: string, value: string] {
  const colon = text.indexOf(':');
  if (colon < 1) throw invalid([{ field: 'tag', reason: 'must be like kuma.io/service:web' }]);
  return [text.slice(0, colon), text.slice(colon + 1)];
}

const isBuiltin = (gateway: JsonObject | undefined): boolean => gateway?.type === 'BUILTIN';

const GATEWAYS = new Map<string, (gateway: JsonObject | undefined) => boolean>([
  ['', () => true],
  ['true', (gateway) => gateway !== undefined],
  ['false', (gateway) => gateway === undefined],
  // What is not said is delegated.
  ['delegated', (gateway) => gateway !== undefined && !isBuiltin(gateway)],
  ['builtin', isBuiltin],
]);
