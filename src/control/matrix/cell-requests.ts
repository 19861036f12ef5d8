import type { Decision } from '../../policy/decide/decide-request.ts';
import { decidingRule, type DecidingRule } from '../../policy/decide/deciding-rule.ts';
import { readRequest, type Request } from '../../policy/decide/read-request.ts';
import type { Parts } from '../../resource/store/parts.ts';
import type { FoundRequests } from '../impact/find-requests.ts';
import { askedKeys, countingKeys } from '../impact/permission-rules.ts';
import { asSeen } from '../mesh/gateway-entry.ts';
import { NOT_SCANNED, type InboundGate } from '../mesh/inbound-gate.ts';
import type { MeshView } from '../mesh/mesh-view.ts';
import { createColumnGates, type ShutAt } from './column-gates.ts';
import { decisionsOf, PortRules } from './found-requests.ts';
import type { MatrixInbound } from './matrix-inbounds.ts';

/** What is decided about some requests of one client, and by which rule of which policy. */
export interface ExplainedDecision extends Pick<Decision, 'decision' | 'shadow' | 'decidedBy' | 'shadowDecidedBy' | 'reason'> {
  readonly rule: DecidingRule | undefined;
  readonly shadowRule: DecidingRule | undefined;
}

export interface ClientAtPort {
  readonly view: MeshView;
  readonly shutAt: ShutAt;
  readonly closed: boolean;
  readonly inbound: MatrixInbound;
  /** The URI SANs of its certificate; none: it shows none. */
  readonly sans: readonly string[];
}

/**
 * All that one client may ask for at a port: each kind of request that permissions tell apart, what is decided about
 * it, and because of what. One cell of the matrix, in full.
 *
 *   deny {path: Prefix /admin}, allow: [a]  ->  for a: {path: /admin} Deny, {pathNot: [/admin]} Allow, {noPath} Deny
 */
export function* cellRequests({ view, shutAt, closed, inbound, sans }: ClientAtPort): Parts<FoundRequests<ExplainedDecision>[]> {
  if (closed) return [{ when: {}, value: { ...NOT_SCANNED, rule: undefined, shadowRule: undefined } }];
  const { gates } = yield* createColumnGates(view, shutAt)(inbound);
  const all = gates();
  const asked = new Set(all.flatMap(({ permissions }) => askedKeys(permissions)));
  const narrowed = new PortRules(all).gatesFor({ sans, keys: countingKeys(sans, asked) });
  return yield* decisionsOf(narrowed, sans, view.mesh, (decision, request) => explained(decision, request, narrowed, view.mesh));
}

function explained(decided: Decision, request: Request, gates: readonly InboundGate[], mesh: string): ExplainedDecision {
  const { decision, shadow, decidedBy, shadowDecidedBy, reason } = decided;
  const ruleOn = (side: 'enforced' | 'shadow', action: Decision['decision'], by: Decision['decidedBy']): DecidingRule | undefined => {
    for (const { permissions, protocol, entry } of gates) {
      const rule = decidingRule(permissions, readRequest(asSeen(entry, request), protocol, mesh), side, { action, decidedBy: by });
      if (rule) return rule;
    }
    return undefined;
  };
  return {
    decision,
    shadow,
    decidedBy,
    shadowDecidedBy,
    reason,
    rule: ruleOn('enforced', decision, decidedBy),
    shadowRule: ruleOn('shadow', shadow, shadowDecidedBy),
  };
}
