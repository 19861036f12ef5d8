import { CheckCounts, type CheckOutcome, OUTCOME_REASONS } from '../control/access/check-counts.ts';
import type { ZoneExchange } from '../control/access/zone-exchange.ts';
import type { Enforcement } from '../control/enforce/enforcement.ts';
import { throttledReport, type ThrottledReport } from '../control/plane/throttled-report.ts';
import { spiffeReason } from '../resource/schema/spiffe-matches.ts';
import type { Report } from '../report.ts';
import type { AskedCall } from '../xds/server/check-calls.ts';
import { nodeId } from '../xds/server/proxy-id.ts';
import type { CheckResponse } from '../xds/wire/check-messages.ts';

interface CheckGround {
  readonly enforcement: Pick<Enforcement, 'rulesOf'>;
  readonly exchange: Pick<ZoneExchange, 'consume'>;
  /** Monotonic, ms. */
  readonly now: () => number;
  readonly report: Report;
}

/**
 * Decides about calls of other zones at the zone's own Envoys (docs/design/attributes.md#ext_authz). The call shows a
 * token that this zone gave when it decided for the caller's zone. It lets in once whoever has the identity that Envoy
 * took from the certificate, to the service that the inbound is, as this zone knows it now. All else is denied.
 */
export class CallGate {
  readonly counts = new CheckCounts();
  readonly #ground: CheckGround;
  readonly #denied: ThrottledReport;

  constructor(ground: CheckGround) {
    this.#ground = ground;
    this.#denied = throttledReport(ground.report, ground.now);
  }

  check(call: AskedCall): CheckResponse {
    const outcome = this.#outcomeOf(call);
    this.counts.checked(outcome);
    if (outcome === 'consumed') return { allowed: true };
    const reason = OUTCOME_REASONS[outcome];
    this.#denied.report('info', 'a call of another zone was denied', { peer: nodeId(call.proxy), code: outcome, reason });
    return { allowed: false, reason };
  }

  /** Call it several times a second. */
  tick(): void {
    this.#denied.flush();
  }

  #outcomeOf({ proxy, inbound, caller, token }: AskedCall): CheckOutcome {
    if (spiffeReason('Exact', caller) !== undefined) return 'no-identity';
    if (token === undefined) return 'no-token';
    const rules = this.#ground.enforcement.rulesOf(proxy.mesh, proxy.name)?.inbounds.find(({ name }) => name === inbound);
    if (!rules?.asked) return 'not-asked';
    const [service, ...others] = rules.asked;
    if (!service) return 'no-service';
    return others.length > 0 ? 'several-services' : this.#ground.exchange.consume(token, caller, service).use;
  }
}
