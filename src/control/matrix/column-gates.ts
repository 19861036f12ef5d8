import type { Policy } from '../../policy/match/policy.ts';
import type { Inbound, Proxy } from '../../policy/match/read-proxy.ts';
import { type SelectingPolicy, matchInbound } from '../../policy/match/select-policies.ts';
import type { Parts } from '../../resource/store/parts.ts';
import { whyShutAt } from '../mesh/answer-can.ts';
import { gateAt, type InboundGate, shutBy } from '../mesh/inbound-gate.ts';
import type { ShutInbound } from '../mesh/listen-address.ts';
import type { MeshView } from '../mesh/mesh-view.ts';
import { plaintextAt } from '../mesh/plaintext-notes.ts';
import type { MatrixInbound } from './matrix-inbounds.ts';

/** What a proxy was given, as far as it is known: its inbounds that let nobody in. */
export type ShutAt = (proxy: Proxy) => readonly ShutInbound[];

/** What decides at a column. */
export interface ColumnGates {
  /** Equal for two columns that decide alike. */
  readonly id: string;
  readonly gates: () => InboundGate[];
}

/** How many policies are matched in a step. */
const A_STEP = 200;

/** Gives what decides at each column of a mesh. */
export function createColumnGates(view: MeshView, shutAt: ShutAt): (column: MatrixInbound) => Parts<ColumnGates> {
  const numbers = new Map<Policy, number>();
  const numberOf = (policy: Policy): number => {
    const number = numbers.get(policy) ?? numbers.size;
    numbers.set(policy, number);
    return number;
  };
  const textOf = ({ policy, via }: SelectingPolicy): string => `${numberOf(policy)}${via ? JSON.stringify(via) : ''}`;
  return function* ({ proxy, inbounds }) {
    const why = whyShutAt(proxy, shutAt(proxy));
    const read: { readonly id: string; readonly gate: () => InboundGate }[] = [];
    for (const inbound of inbounds) {
      const reason = why(inbound);
      const matches = reason === undefined ? yield* matchInSteps(view, proxy, inbound) : [];
      const { taken } = plaintextAt(view, proxy, inbound);
      const gate = (): InboundGate => gateAt(proxy, inbound, matches, taken);
      read.push({
        id: JSON.stringify([proxy.type, inbound.protocol, taken, reason, matches.map(textOf).join()]),
        gate: reason === undefined ? gate : () => ({ ...gate(), shut: shutBy(reason) }),
      });
    }
    return { id: read.map(({ id }) => id).join(), gates: () => read.map(({ gate }) => gate()) };
  };
}

function* matchInSteps({ permissions, index }: MeshView, proxy: Proxy, inbound: Inbound): Parts<SelectingPolicy[]> {
  const matches: SelectingPolicy[] = [];
  for (let from = 0; from < permissions.length; from += A_STEP) {
    for (const match of matchInbound(permissions.slice(from, from + A_STEP), proxy, inbound, index)) matches.push(match);
    yield;
  }
  return matches;
}
