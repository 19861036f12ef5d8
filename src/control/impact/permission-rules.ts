import type { Permission } from '../../policy/decide/read-permissions.ts';
import { isClient, requiredSans } from '../../policy/match/client-sans.ts';
import type { Matcher, Mtp } from '../../resource/permission.ts';
import { foldMatch } from '../../resource/string-match.ts';
import { belowKey, clientKeys, meshKey, sanKey } from './client-keys.ts';

type List = 'deny' | 'allow' | 'allowWithShadowDeny';
type PermissionFromItem = Extract<Mtp, { shape: 'from' }>['items'][number];

/** One thing that a permission says: a matcher of a list, or an item of `from`. */
export interface PermissionRule {
  readonly id: number;
  /** Where its permission stands in order. */
  readonly place: number;
  readonly says: { readonly list: List; readonly matcher: Matcher } | { readonly item: PermissionFromItem };
}

/** What permissions say to one client. */
export interface Slice {
  /** Equal for two clients to whom the same permissions say the same; for one with several SANs no allow list does. */
  readonly id: string;
  readonly rules: readonly PermissionRule[];
}

const LISTS: readonly List[] = ['deny', 'allow', 'allowWithShadowDeny'];

/**
 * The permissions of an inbound, in their order, by the clients that they speak of: a client that few of them know is
 * judged by few.
 */
export class Rules {
  readonly permissions: readonly Permission[];

  readonly #byKey = new Map<string, PermissionRule[]>();
  readonly #anybody: PermissionRule[] = [];
  /**
   * Those that count whoever asks: where they are, `from` for everybody opens nothing, and what can't be read denies.
   */
  readonly #always: readonly number[];

  constructor(permissions: readonly Permission[]) {
    this.permissions = permissions;
    let id = 0;
    permissions.forEach(({ key, mtp }, place) => {
      if (mtp.shape === 'from') for (const item of mtp.items) this.#add({ id: id++, place, says: { item } }, fromKey(item, key.mesh));
      if (mtp.shape === 'spiffe') {
        for (const list of LISTS)
          for (const matcher of mtp[list]) this.#add({ id: id++, place, says: { list, matcher } }, matcherKey(matcher));
      }
    });
    this.#always = alwaysOf(permissions);
  }

  /** `keys`: those of the client (clientKeys), as far as any permission asks for them. */
  slice(sans: readonly string[], keys: readonly string[]): Slice {
    const rules: PermissionRule[] = [];
    const take = (rule: PermissionRule): void => {
      if (this.#speaksOf(rule, sans)) rules.push(rule);
    };
    this.#anybody.forEach(take);
    for (const key of keys) this.#byKey.get(key)?.forEach(take);
    rules.sort((a, b) => a.id - b.id);
    return { id: rules.reduce((id, rule) => `${id},${rule.id}`, sans.length === 1 ? 'one' : 'several'), rules };
  }

  /** The permissions without what they say to others: they decide about such a client as all permissions do. */
  permissionsOf({ rules }: Slice): readonly Permission[] {
    const places = new Map<number, PermissionRule[]>(this.#always.map((place) => [place, []]));
    for (const rule of rules) {
      const there = places.get(rule.place);
      if (there) there.push(rule);
      else places.set(rule.place, [rule]);
    }
    return [...places].sort(([a], [b]) => a - b).flatMap(([place, said]) => this.#narrowed(place, said));
  }

  #add(rule: PermissionRule, key: string | undefined): void {
    if (key === undefined) this.#anybody.push(rule);
    else {
      const known = this.#byKey.get(key);
      if (known) known.push(rule);
      else this.#byKey.set(key, [rule]);
    }
  }

  /**
   * An allow list is for clients with one identity (in the shadow, a deny counts for any); an item of `from` may ask
   * for several SANs.
   */
  #speaksOf({ place, says }: PermissionRule, sans: readonly string[]): boolean {
    if ('list' in says) return says.list !== 'allow' || sans.length === 1;
    return isClient(says.item.targetRef, this.permissions[place]?.key.mesh ?? '', sans);
  }

  #narrowed(place: number, rules: readonly PermissionRule[]): Permission[] {
    const permission = this.permissions[place];
    if (!permission || permission.mtp.shape === 'broken' || permission.mtp.shape === 'none') return permission ? [permission] : [];
    const said = rules.map(({ says }) => says);
    if (permission.mtp.shape === 'from') {
      return [{ ...permission, mtp: { shape: 'from', items: said.flatMap((one) => ('item' in one ? [one.item] : [])) } }];
    }
    const of = (list: List) => said.flatMap((one) => ('list' in one && one.list === list ? [one.matcher] : []));
    const mtp = { shape: 'spiffe' as const, deny: of('deny'), allow: of('allow'), allowWithShadowDeny: of('allowWithShadowDeny') };
    return [{ ...permission, mtp }];
  }
}

/** All that permissions ask of clients. */
export function askedKeys(permissions: readonly Permission[]): string[] {
  return permissions.flatMap(({ key, mtp }) => {
    if (mtp.shape === 'from')
      return mtp.items.flatMap((item) => [meshKey(item.targetRef.mesh ?? key.mesh), ...requiredKeys(item, key.mesh)]);
    return mtp.shape === 'spiffe' ? LISTS.flatMap((list) => mtp[list].flatMap((matcher) => matcherKey(matcher) ?? [])) : [];
  });
}

function requiredKeys({ targetRef }: PermissionFromItem, mesh: string): string[] {
  return requiredSans(targetRef, targetRef.mesh ?? mesh).map(sanKey);
}

function fromKey(item: PermissionFromItem, mesh: string): string {
  return requiredKeys(item, mesh)[0] ?? meshKey(item.targetRef.mesh ?? mesh);
}

function matcherKey({ spiffeId }: Matcher): string | undefined {
  return spiffeId && foldMatch(spiffeId, { Exact: sanKey, Prefix: belowKey });
}

/** One without a route that has lists stands for all such; through a route each may count or not. */
function alwaysOf(permissions: readonly Permission[]): number[] {
  const first = permissions.findIndex(({ mtp, via }) => mtp.shape === 'spiffe' && via === undefined);
  return permissions.flatMap(({ mtp, via }, place) => {
    const counts = mtp.shape === 'broken' || place === first || (mtp.shape === 'spiffe' && via !== undefined);
    return counts ? [place] : [];
  });
}

/**
 * The keys of a client that anybody asks for: two clients with the same are one to all policies, if they have as many
 * SANs as each other.
 */
export function countingKeys(sans: readonly string[], asked: ReadonlySet<string>): string[] {
  return clientKeys(sans).filter((key) => asked.has(key));
}
