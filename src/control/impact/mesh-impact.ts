import { readPermissions } from '../../policy/decide/read-permissions.ts';
import type { MeshView } from '../mesh/mesh-view.ts';
import { groupAlike } from './group-inbounds.ts';
import { type CallerPair, type CallerSet, pairCallers } from './caller-sets.ts';
import { enclosing, type Named, namedBy } from './caller-names.ts';
import { type InboundPair, pairInbounds } from './inbound-pairs.ts';
import { type Changed, Judge, type VerdictPair } from './compare-verdicts.ts';
import { type PlaintextChange, plaintextChanges } from './plaintext-changes.ts';
import { askedKeys, countingKeys } from './permission-rules.ts';

/**
 * Callers whose verdicts change. `except`: those within whose don't; who is named by an entry of its own is not meant
 * either.
 */
export type CallerChange =
  | { readonly kind: 'identity'; readonly spiffeId: string }
  | { readonly kind: 'prefix'; readonly spiffeId: string; readonly except: readonly Named[] }
  | { readonly kind: 'sans'; readonly sans: readonly string[] }
  | { readonly kind: 'other'; readonly except: readonly Named[] }
  /** Clients that come in plain text, without a certificate. */
  | { readonly kind: 'plaintext' }
  /** The place of a set in `sets`. */
  | { readonly kind: 'dataplanes'; readonly set: number };

/** The changes at some inbounds, for each group of callers. */
export interface InboundsChange {
  readonly inbounds: readonly Pick<InboundPair, 'dataplane' | 'section'>[];
  readonly callers: readonly { readonly from: readonly CallerChange[]; readonly verdicts: readonly Changed[] }[];
}

/** The effect of a change of a mesh on the decisions of its proxies. */
export interface Impact {
  readonly changes: readonly InboundsChange[];
  readonly sets: readonly CallerSet[];
}

/**
 * Finds every inbound and caller whose verdict changes between two states of a mesh, enforced or in the shadow
 * (docs/design/interfaces.md#command-line). Callers are those that permissions name, all others, clients in plain text,
 * and the mesh's own proxies. It is exact: it compares the results of `decide` before and after. Inbounds and callers
 * that no permission tells apart are decided once.
 *
 *   1,000 proxies, allow: [Prefix spiffe://td]; then deny: [spiffe://td/a] for the mesh
 *   -> [{inbounds: all 1,000, callers: [{from: [identity spiffe://td/a], verdicts: [Allow -> Deny]}]}]
 */
export function impactOf(before: MeshView, after: MeshView): Impact {
  const asked = new Set(
    [before, after].flatMap(({ permissions }) => askedKeys(readPermissions(permissions.map((policy) => ({ policy }))))),
  );
  const proxies = pairCallers(before, after, asked);
  const anew = proxies.some(({ was, is }) => was.keys.join() !== is.keys.join() || was.sans.length !== is.sans.length);
  const changes = new Map<string, { inbounds: InboundPair[]; callers: InboundsChange['callers'] }>();
  for (const { inbounds, same } of groupAlike(pairInbounds(before, after))) {
    const [one] = inbounds;
    if (!one || (same && !anew)) continue;
    const callers = callersOf(one, proxies, asked);
    const id = JSON.stringify(callers);
    const alike = changes.get(id);
    if (alike) alike.inbounds.push(...inbounds);
    else if (callers.length > 0) changes.set(id, { inbounds: [...inbounds], callers });
  }
  return withUsedSets([...changes.values(), ...plaintextChanges(before, after).map(ofPlaintext)], proxies);
}

/** No policy is named: permissions are not asked about plain text. */
function ofPlaintext({ taken, inbounds }: PlaintextChange): InboundsChange {
  const verdict = (decision: VerdictPair['decision']): VerdictPair => ({
    decision,
    shadow: decision,
    decidedBy: undefined,
    shadowDecidedBy: undefined,
  });
  const [open, shut] = [verdict('Allow'), verdict('Deny')];
  const how = taken ? { when: {}, before: shut, after: open } : { when: {}, before: open, after: shut };
  return { inbounds, callers: [{ from: [{ kind: 'plaintext' }], verdicts: [how] }] };
}

/** Who changes at an inbound, grouped by how. */
function callersOf({ before, after }: InboundPair, proxies: readonly CallerPair[], asked: ReadonlySet<string>): InboundsChange['callers'] {
  const judge = new Judge(before, after);
  const named = namedBy([...(before?.permissions ?? []), ...(after?.permissions ?? [])]);
  const verdicts = new Map(
    named.map((one) => {
      const client = { sans: one.sample, keys: countingKeys(one.sample, asked) };
      return [one, judge.compare(client, client)];
    }),
  );
  const changed = named.filter((one) => (verdicts.get(one)?.length ?? 0) > 0);
  const excepted = exceptions(named, new Set(changed));
  const grouped = new Map<string, { from: CallerChange[]; verdicts: readonly Changed[] }>();
  const add = (caller: CallerChange, how: readonly Changed[]) => {
    if (how.length === 0) return;
    const id = JSON.stringify(how);
    const group = grouped.get(id);
    if (group) group.from.push(caller);
    else grouped.set(id, { from: [caller], verdicts: how });
  };
  for (const one of changed) add(toCaller(one, excepted.get(one) ?? []), verdicts.get(one) ?? []);
  proxies.forEach(({ was, is }, set) => add({ kind: 'dataplanes', set }, judge.compare(was, is)));
  return [...grouped.values()];
}

/** Those whose verdicts don't change, within whom of those whose do they are named. */
function exceptions(named: readonly Named[], changed: ReadonlySet<Named>): Map<Named, Named[]> {
  const within = enclosing(named);
  const excepted = new Map<Named, Named[]>();
  for (const one of named) {
    const outer = changed.has(one) ? undefined : within(one);
    if (outer && changed.has(outer)) excepted.set(outer, [...(excepted.get(outer) ?? []), one]);
  }
  return excepted;
}

function toCaller({ kind, spiffeId, sans }: Named, except: readonly Named[]): CallerChange {
  if (kind === 'identity') return { kind, spiffeId };
  if (kind === 'sans') return { kind, sans };
  return kind === 'prefix' ? { kind, spiffeId, except } : { kind, except };
}

/** The sets that changes speak of, in their order. */
function withUsedSets(changes: readonly InboundsChange[], proxies: readonly CallerSet[]): Impact {
  const all = changes.flatMap(({ callers }) => callers.flatMap(({ from }) => from));
  const used = [...new Set(all.flatMap((caller) => (caller.kind === 'dataplanes' ? [caller.set] : [])))].sort((a, b) => a - b);
  const places = new Map(used.map((set, place) => [set, place]));
  const renumbered = (caller: CallerChange): CallerChange =>
    caller.kind === 'dataplanes' ? { ...caller, set: places.get(caller.set) ?? 0 } : caller;
  return {
    changes: changes.map(({ inbounds, callers }) => ({
      inbounds,
      callers: callers.map(({ from, verdicts }) => ({ from: from.map(renumbered), verdicts })),
    })),
    sets: used.flatMap((set) => proxies[set] ?? []).map(({ by, sans, dataplanes }) => ({ by, sans, dataplanes })),
  };
}
