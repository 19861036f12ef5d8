import type { Permission } from '../../policy/decide/read-permissions.ts';
import { isClient, requiredSans } from '../../policy/match/client-sans.ts';
import type { FromItem, Matcher, MatcherList, MtpOrBroken } from '../../resource/permission.ts';
import { fromItemsOf, isUnreadable, listsOf, MATCHER_LISTS, matchersOf } from '../../resource/permission-actions.ts';
import { foldMatch } from '../../resource/string-match.ts';
import { belowKey, clientKeys, meshKey, sanKey } from './client-keys.ts';

/** One thing that a permission says: a matcher of a list, or an item of `from`. */
export interface PermissionRule {
  readonly id: number;
  /** Where its permission stands in order. */
  readonly place: number;
  readonly says: { readonly list: MatcherList; readonly matcher: Matcher } | { readonly item: FromItem };
}

/** What permissions say to one client. */
export interface ClientRules {
  /** Equal for two clients to whom the same permissions say the same; for one with several SANs no allow list does. */
  readonly id: string;
  readonly rules: readonly PermissionRule[];
}

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
      for (const item of fromItemsOf(mtp)) this.#add({ id: id++, place, says: { item } }, fromKey(item, key.mesh));
      for (const list of MATCHER_LISTS)
        for (const matcher of listsOf(mtp)?.[list] ?? []) this.#add({ id: id++, place, says: { list, matcher } }, matcherKey(matcher));
    });
    this.#always = alwaysOf(permissions);
  }

  /** `keys`: those of the client (clientKeys), as far as any permission asks for them. */
  slice(sans: readonly string[], keys: readonly string[]): ClientRules {
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
  permissionsOf({ rules }: ClientRules): readonly Permission[] {
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
    if (!permission) return [];
    const said = rules.map(({ says }) => says);
    return [{ ...permission, mtp: narrowedTo(permission.mtp, said) }];
  }
}

/** Of what a permission says, that. */
function narrowedTo(mtp: MtpOrBroken, said: readonly PermissionRule['says'][]): MtpOrBroken {
  switch (mtp.shape) {
    case 'broken':
    case 'none':
      return mtp;
    case 'from':
      return { shape: 'from', items: said.flatMap((one) => ('item' in one ? [one.item] : [])) };
    case 'spiffe': {
      const of = (list: MatcherList) => said.flatMap((one) => ('list' in one && one.list === list ? [one.matcher] : []));
      return { shape: 'spiffe', deny: of('deny'), allow: of('allow'), allowWithShadowDeny: of('allowWithShadowDeny') };
    }
  }
}

/** All that permissions ask of clients. */
export function askedKeys(permissions: readonly Permission[]): string[] {
  return permissions.flatMap(({ key, mtp }) => {
    const ofItem = (item: FromItem) => [meshKey(item.targetRef.mesh ?? key.mesh), ...requiredKeys(item, key.mesh)];
    return [...fromItemsOf(mtp).flatMap(ofItem), ...matchersOf(mtp).flatMap((matcher) => matcherKey(matcher) ?? [])];
  });
}

function requiredKeys({ targetRef }: FromItem, mesh: string): string[] {
  return requiredSans(targetRef, targetRef.mesh ?? mesh).map(sanKey);
}

function fromKey(item: FromItem, mesh: string): string {
  return requiredKeys(item, mesh)[0] ?? meshKey(item.targetRef.mesh ?? mesh);
}

function matcherKey({ spiffeId }: Matcher): string | undefined {
  return spiffeId && foldMatch(spiffeId, { Exact: sanKey, Prefix: belowKey });
}

/** One without a route that has lists stands for all such; through a route each may count or not. */
function alwaysOf(permissions: readonly Permission[]): number[] {
  const first = permissions.findIndex(({ mtp, via }) => listsOf(mtp) && via === undefined);
  return permissions.flatMap(({ mtp, via }, place) => {
    const counts = isUnreadable(mtp) || place === first || (listsOf(mtp) && via !== undefined);
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
