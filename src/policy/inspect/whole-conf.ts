import { asArray } from '../../naming/json.ts';
import { mergeSingle } from '../match/inbound-items.ts';
import { type MergedConf, mergeParts } from '../match/merge-confs.ts';
import type { Policy } from '../match/policy.ts';
import { permissionLists } from './inbound-rules.ts';

/**
 * What policies of one kind say of a proxy as a whole: kinds with one `default`, and permissions
 * (docs/design/sources.md#spiffe, "Inspect API"), whose lists are concatenated whichever shape they are written in;
 * `from` items stand beside them. undefined: nothing.
 *
 *   permissions a {deny: [p]} and b {deny: [q], allow: [r]}  ->  conf {deny: [p, q], allow: [r]}, origins [a, b]
 */
export function wholeConf(type: string, policies: readonly Policy[]): MergedConf | undefined {
  if (type !== 'MeshTrafficPermission') return mergeSingle(type, policies);
  const items = policies.filter(({ shadow }) => !shadow).flatMap(({ resource }) => asArray(resource.spec.from));
  const parts = policies.flatMap((policy) => {
    const lists = permissionLists(policy).map((conf) => ({ policy, conf }));
    return asArray(policy.resource.spec.from).length > 0 ? [...lists, { policy, conf: {} }] : lists;
  });
  const merged = mergeParts(type, parts);
  return merged && items.length > 0 ? { ...merged, conf: { ...merged.conf, from: items } } : merged;
}
