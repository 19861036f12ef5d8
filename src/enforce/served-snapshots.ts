import type { Enforcement } from '../control/enforce/enforcement.ts';
import { lettingNobodyIn } from '../control/mesh/listen-address.ts';
import type { ProxyRules } from '../control/enforce/proxy-rules.ts';
import type { ProxyStatus } from '../control/enforce/proxy-status.ts';
import type { Report } from '../report.ts';
import type { GeneratedSnapshot } from '../xds/envoy/generate-snapshot.ts';
import type { UnbuiltInbound, ZoneAsk } from '../xds/envoy/inbound-input.ts';
import type { ProxyView } from '../xds/server/connected-proxies.ts';
import { nodeId, type ProxyId } from '../xds/server/proxy-id.ts';
import type { Snapshot } from '../xds/wire/resource-types.ts';
import { snapshotFor } from './proxy-snapshot.ts';

/** What a proxy was given last, and what of it nobody gets in at. */
interface ServedProxy {
  readonly rules: ProxyRules | undefined;
  readonly problems: readonly string[];
  readonly shut: readonly UnbuiltInbound[];
}

/** Makes the snapshots of proxies, and knows what each was given last: for the API, and to report a problem once. */
export class ServedSnapshots {
  private readonly enforcement: Pick<Enforcement, 'rulesOf'>;
  private readonly certificates: string;
  private readonly askOf: (proxy: ProxyId) => ZoneAsk;
  private readonly report: Report;

  readonly #last = new Map<string, ServedProxy>();

  /**
   * `certificates`: the folder of the proxies' certificates, on their machines. `askOf`: as whom a proxy's listeners
   * ask about calls.
   */
  constructor(enforcement: Pick<Enforcement, 'rulesOf'>, certificates: string, askOf: (proxy: ProxyId) => ZoneAsk, report: Report) {
    this.enforcement = enforcement;
    this.certificates = certificates;
    this.askOf = askOf;
    this.report = report;
  }

  /** What a proxy is to have; undefined: this zone has no such Dataplane. New problems and warnings are reported. */
  snapshotOf(proxy: ProxyId): Snapshot | undefined {
    const node = nodeId(proxy);
    const rules = this.enforcement.rulesOf(proxy.mesh, proxy.name);
    const snapshot = rules && snapshotFor(proxy, rules, this.certificates, this.askOf);
    const problems = rules ? problemsOf(rules, snapshot) : [];
    if (rules !== this.#last.get(node)?.rules) {
      for (const problem of [...problems, ...(rules?.warnings ?? [])]) this.report('warn', problem, { node });
    }
    this.#last.set(node, { rules, problems, shut: snapshot?.shut ?? [] });
    return snapshot;
  }

  /** A proxy as the API shows it: what it was sent, and what of its Dataplane can't be. */
  statusOf({ proxy, streams, problem, refused }: ProxyView): ProxyStatus {
    const last = this.#last.get(nodeId(proxy));
    return {
      ...proxy,
      streams,
      ...(problem ? { problem } : {}),
      ...(refused ? { refused } : {}),
      notServed: last?.problems ?? [],
      shut: last?.shut ?? [],
      warnings: last?.rules?.warnings ?? [],
    };
  }

  /** Forgets the proxies that the server does not know any more. */
  keepOnly(views: readonly ProxyView[]): void {
    const known = new Set(views.map(({ proxy }) => nodeId(proxy)));
    for (const id of this.#last.keys()) if (!known.has(id)) this.#last.delete(id);
  }
}

/** What could not be read or compiled, and what only the building shows. */
function problemsOf({ inbounds, problems }: ProxyRules, snapshot: GeneratedSnapshot | undefined): string[] {
  const known = new Set(inbounds.filter(({ shut }) => shut !== undefined).map(({ name }) => name));
  const found = snapshot?.shut.filter(({ inbound }) => !known.has(inbound)) ?? [];
  return [...problems, ...found.map(({ inbound, reason }) => lettingNobodyIn(inbound, reason))];
}
