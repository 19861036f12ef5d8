import { readPermissions } from '../../policy/decide/read-permissions.ts';
import { callersEverywhere } from '../mesh/mesh-access.ts';
import type { MeshView } from '../mesh/mesh-view.ts';
import { groupAlike } from './group-inbounds.ts';
import { type CallerPair, type CallerSet, pairCallers } from './caller-sets.ts';
import { enclosing, type NamedCallers, namedBy } from './caller-names.ts';
import { type InboundPair, pairInbounds } from './inbound-pairs.ts';
import { type VerdictChange, VerdictComparison, type VerdictPair } from './compare-verdicts.ts';
import { type PlaintextChange, plaintextChanges } from './plaintext-changes.ts';
import { askedKeys, countingKeys } from './permission-rules.ts';
import type { Parts } from '../../resource/store/parts.ts';

/**
 * Callers whose verdicts change. `except`: those within whose don't; who is named by an entry of its own is not meant
 * either.
 */
export type CallerChange =
  | { readonly kind: 'identity'; readonly spiffeId: string }
  | { readonly kind: 'prefix'; readonly spiffeId: string; readonly except: readonly NamedCallers[] }
  | { readonly kind: 'sans'; readonly sans: readonly string[] }
  | { readonly kind: 'other'; readonly except: readonly NamedCallers[] }
  /** Clients that come in plain text, without a certificate. */
  | { readonly kind: 'plaintext' }
  /** The place of a set in `sets`. */
  | { readonly kind: 'dataplanes'; readonly set: number };

/** The changes at some inbounds, for each group of callers. */
export interface InboundsChange {
  readonly inbounds: readonly Pick<InboundPair, 'dataplane' | 'section'>[];
  readonly callers: readonly { readonly from: readonly CallerChange[]; readonly verdicts: readonly VerdictChange[] }[];
}

/** The effect of a change of a mesh on the decisions of its proxies. */
export interface Impact {
  readonly changes: readonly InboundsChange[];
  readonly sets: readonly CallerSet[];
}

type Callers = InboundsChange['callers'];

/**
 * Finds every inbound and caller whose verdict changes between two states of a mesh, enforced or in the shadow
 * (docs/design/interfaces.md#command-line). Callers are those that permissions name, all others, clients in plain text,
 * and the mesh's own proxies. It is exact: it compares the results of `decide` before and after. Inbounds and callers
 * that no permission tells apart are decided once.
 *
 *   1,000 proxies, allow: [Prefix spiffe://td]; then deny: [spiffe://td/a] for the mesh
 *   -> [{inbounds: all 1,000, callers: [{from: [identity spiffe://td/a], verdicts: [Allow -> Deny]}]}]
 */
export class ImpactSearch {
  readonly #before: MeshView;
  readonly #after: MeshView;
  readonly #found = new Map<string, { inbounds: InboundPair[]; callers: Callers }>();
  #plain: readonly InboundsChange[] = [];
  #proxies: readonly CallerPair[] = [];

  constructor(before: MeshView, after: MeshView) {
    this.#before = before;
    this.#after = after;
  }

  /** The work, in steps of a few milliseconds at most where a body has its usual size. */
  *steps(): Parts<void> {
    const [before, after] = [this.#before, this.#after];
    this.#plain = (yield* plaintextChanges(before, after)).map(ofPlaintext);
    yield;
    const asked = yield* allAsked(before, after);
    const known = yield* callersEverywhere(before);
    const callers = { before: known, after: yield* callersEverywhere(after, known) };
    const proxies = yield* pairCallers(before, after, asked, callers);
    this.#proxies = proxies;
    const anew = proxies.some(({ was, is }) => was.keys.join() !== is.keys.join() || was.sans.length !== is.sans.length);
    for (const { inbounds, same } of yield* groupAlike(yield* pairInbounds(before, after, callers))) {
      const [one] = inbounds;
      if (!one || (same && !anew)) continue;
      this.#add(inbounds, yield* callersOf(one, proxies, asked));
      yield;
    }
  }

  /** What was found up to now: all of it when the steps are done. */
  result(): Impact {
    return withUsedSets([...this.#found.values(), ...this.#plain], this.#proxies);
  }

  #add(inbounds: readonly InboundPair[], callers: Callers): void {
    if (callers.length === 0) return;
    const id = JSON.stringify(callers);
    const alike = this.#found.get(id);
    if (alike) for (const inbound of inbounds) alike.inbounds.push(inbound);
    else this.#found.set(id, { inbounds: [...inbounds], callers });
  }
}

/** All keys that the permissions of either state ask for. */
function* allAsked(before: MeshView, after: MeshView): Parts<ReadonlySet<string>> {
  const asked = new Set<string>();
  for (const policy of [...before.permissions, ...after.permissions]) {
    for (const key of askedKeys(readPermissions([{ policy }]))) asked.add(key);
    yield;
  }
  return asked;
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
function* callersOf({ before, after }: InboundPair, proxies: readonly CallerPair[], asked: ReadonlySet<string>): Parts<Callers> {
  const judge = new VerdictComparison(before, after);
  const letIn = [before, after].flatMap((one) => [...(one?.callers ?? [])].flatMap(([id, { allowed }]) => (allowed ? [id] : [])));
  const named = namedBy([...(before?.permissions ?? []), ...(after?.permissions ?? [])], letIn);
  yield;
  const verdicts = new Map<NamedCallers, readonly VerdictChange[]>();
  for (const one of named) {
    const client = { sans: one.sample, keys: countingKeys(one.sample, asked) };
    const how = yield* judge.compare(client, client);
    if (how.length > 0) verdicts.set(one, how);
    yield;
  }
  const excepted = exceptions(named, verdicts);
  const groups = new CallerGroups();
  for (const [one, how] of verdicts) groups.add(toCaller(one, excepted.get(one) ?? []), how);
  for (const [set, { was, is }] of proxies.entries()) {
    groups.add({ kind: 'dataplanes', set }, yield* judge.compare(was, is));
    yield;
  }
  return groups.all();
}

/** Callers by how their verdicts change. */
class CallerGroups {
  readonly #byText = new Map<string, { from: CallerChange[]; verdicts: readonly VerdictChange[] }>();
  /** Of clients that are told the same the verdicts are one object. */
  readonly #texts = new Map<readonly VerdictChange[], string>();

  add(caller: CallerChange, how: readonly VerdictChange[]): void {
    if (how.length === 0) return;
    const id = this.#texts.get(how) ?? JSON.stringify(how);
    this.#texts.set(how, id);
    const group = this.#byText.get(id);
    if (group) group.from.push(caller);
    else this.#byText.set(id, { from: [caller], verdicts: how });
  }

  all(): Callers {
    return [...this.#byText.values()];
  }
}

/** Those whose verdicts don't change, within whom of those whose do they are named. */
function exceptions(named: readonly NamedCallers[], changed: ReadonlyMap<NamedCallers, unknown>): Map<NamedCallers, NamedCallers[]> {
  const within = enclosing(named);
  const excepted = new Map<NamedCallers, NamedCallers[]>();
  for (const one of named) {
    const outer = changed.has(one) ? undefined : within(one);
    if (!outer || !changed.has(outer)) continue;
    const inner = excepted.get(outer);
    if (inner) inner.push(one);
    else excepted.set(outer, [one]);
  }
  return excepted;
}

function toCaller({ kind, spiffeId, sans }: NamedCallers, except: readonly NamedCallers[]): CallerChange {
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
