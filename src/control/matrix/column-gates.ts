import type { Proxy } from '../../policy/match/read-proxy.ts';
import type { Parts } from '../../resource/store/parts.ts';
import { whyShutAt } from '../mesh/answer-can.ts';
import { createSelectionIds } from '../mesh/selection-ids.ts';
import { matchInSteps } from '../mesh/match-in-steps.ts';
import { entryAt } from '../mesh/gateway-entry.ts';
import { gateAt, type InboundGate, shutBy } from '../mesh/inbound-gate.ts';
import type { ShutInbound } from '../mesh/listen-address.ts';
import { type CallersEverywhere, callersEverywhere } from '../mesh/mesh-access.ts';
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

/** Gives what decides at each column of a mesh. */
export function createColumnGates(view: MeshView, shutAt: ShutAt): (column: MatrixInbound) => Parts<ColumnGates> {
  const selectionId = createSelectionIds();
  let everywhere: CallersEverywhere | undefined;
  return function* ({ proxy, inbounds }) {
    everywhere ??= yield* callersEverywhere(view);
    const why = whyShutAt(proxy, shutAt(proxy));
    const read: { readonly id: string; readonly gate: () => InboundGate }[] = [];
    for (const inbound of inbounds) {
      const reason = why(inbound);
      const matches = reason === undefined ? yield* matchInSteps(view.permissions, proxy, inbound, view.index) : [];
      const { taken } = plaintextAt(view, proxy, inbound);
      const callers = everywhere.at(proxy, inbound);
      const gate = (): InboundGate => gateAt(proxy, inbound, { matches, callers, trusts: view.trusts }, taken);
      read.push({
        id: JSON.stringify([entryAt(proxy, inbound, view.trusts), inbound.protocol, taken, reason, selectionId(matches, callers)]),
        gate: reason === undefined ? gate : () => ({ ...gate(), shut: shutBy(reason) }),
      });
    }
    return { id: read.map(({ id }) => id).join(), gates: () => read.map(({ gate }) => gate()) };
  };
}
