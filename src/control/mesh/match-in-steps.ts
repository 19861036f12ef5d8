import type { MeshIndex } from '../../policy/match/mesh-index.ts';
import type { Policy } from '../../policy/match/policy.ts';
import type { Inbound, Proxy } from '../../policy/match/read-proxy.ts';
import { matchInbound, type SelectingPolicy } from '../../policy/match/select-policies.ts';
import type { Parts } from '../../resource/store/parts.ts';

/** How many policies are matched in a step. */
const A_STEP = 200;

/** As `matchInbound`, some of the policies in each step. */
export function* matchInSteps(policies: readonly Policy[], proxy: Proxy, inbound: Inbound, index: MeshIndex): Parts<SelectingPolicy[]> {
  const matches: SelectingPolicy[] = [];
  for (let from = 0; from < policies.length; from += A_STEP) {
    for (const match of matchInbound(policies.slice(from, from + A_STEP), proxy, inbound, index)) matches.push(match);
    yield;
  }
  return matches;
}
