import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { measureLoopDelay } from './loop-delay.ts';

/** What is measured, as it is now. */
export interface Sample {
  readonly revision: number;
  /** Lines of the log that could not be written, since the start. */
  readonly logLinesLost: number;
  readonly resources: readonly { readonly type: string; readonly count: number }[];
  /** undefined: this control plane stands alone. */
  readonly natsConnected: boolean | undefined;
  readonly peers: readonly PeerSample[];
  /** What peers brought about that was to be warned of, since the start. */
  readonly incidents: readonly { readonly peer: string; readonly event: string; readonly code: string; readonly count: number }[];
  /** The Envoys of this zone; undefined: it is global. */
  readonly proxies?: ProxySample | undefined;
  /** How often access by attributes was decided, since the start. */
  readonly verdicts: Readonly<Record<'allow' | 'deny', number>>;
  /** The same between zones: of calls from here, of what other zones ask, of tokens that are shown. */
  readonly exchanged: readonly { readonly side: string; readonly verdict: string; readonly reason: string; readonly count: number }[];
  /** Calls of other zones about which Envoys asked. */
  readonly checked: readonly { readonly verdict: string; readonly reason: string; readonly count: number }[];
  /** What each policy decided about callers of other zones. */
  readonly byPolicy: readonly { readonly verdict: string; readonly policy: string; readonly count: number }[];
  /** What kept the event loop; several may be of one work. */
  readonly turns: readonly TurnSample[];
}

interface TurnSample {
  /** Of a closed set. */
  readonly work: string;
  readonly milliseconds: number;
  /** Turns of more than 100 ms, since the start. */
  readonly long: number;
}

export interface PeerSample {
  readonly peer: string;
  readonly online: boolean;
  readonly upToDate: boolean;
  /** Of the peer's feed, here. */
  readonly refused: number;
  readonly refusedByType: ReadonlyMap<string, number>;
  /** Pulls that failed in a row. */
  readonly failures: number;
  /** At global: what the zone holds here. */
  readonly held?: { readonly resources: number; readonly bytes: number } | undefined;
}

interface ProxySample {
  readonly connected: number;
  readonly disconnected: number;
  /** They keep rules that are not the latest. */
  readonly refusing: number;
  /** They can't be given all that they should have. */
  readonly withProblems: number;
}

/** What /metrics serves. */
export interface Metrics {
  readonly contentType: string;
  /** Prometheus' text format. */
  metrics(): Promise<string>;
}

/** `read` is called each time that they are asked for. */
export function createMetrics(read: () => Sample): Metrics {
  const registry = new Registry();
  // The event loop's lag is sampled ten times a second: more often, an idle process would mostly look at itself.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  measureLoopDelay(registry);
  const gauges = createGauges(registry);
  const incidents = new Counter({
    name: 'meridian_peer_incidents_total',
    help: 'What a peer brought about that was to be warned of: messages that were refused, notices, failures',
    labelNames: ['peer', 'event', 'code'],
    registers: [registry],
  });
  const verdicts = new Counter({
    name: 'meridian_access_decisions_total',
    help: 'Decisions of access by attributes that were asked for here, one for each site of a service',
    labelNames: ['verdict'],
    registers: [registry],
  });
  const exchanged = new Counter({
    name: 'meridian_access_exchange_total',
    help: 'Calls from zone to zone: decided here as client and as server, and tokens that were shown here',
    labelNames: ['side', 'verdict', 'reason'],
    registers: [registry],
  });
  const checked = new Counter({
    name: 'meridian_access_checks_total',
    help: 'Calls of other zones about which Envoys asked, by what came of it',
    labelNames: ['verdict', 'reason'],
    registers: [registry],
  });
  const byPolicy = new Counter({
    name: 'meridian_access_policy_decisions_total',
    help: 'What each policy here decided about callers of other zones; `none`: no policy did, `others`: all after the first hundred',
    labelNames: ['verdict', 'policy'],
    registers: [registry],
  });
  const lost = new Counter({
    name: 'meridian_log_lines_lost_total',
    help: 'Lines of the log that could not be written: the disk is full, or their reader is gone',
    registers: [registry],
  });
  const metrics = (): Promise<string> => {
    const sample = read();
    lost.reset();
    lost.inc(sample.logLinesLost);
    fill(gauges, sample);
    verdicts.reset();
    for (const [verdict, count] of Object.entries(sample.verdicts)) verdicts.inc({ verdict }, count);
    exchanged.reset();
    for (const { side, verdict, reason, count } of sample.exchanged) exchanged.inc({ side, verdict, reason }, count);
    checked.reset();
    for (const { verdict, reason, count } of sample.checked) checked.inc({ verdict, reason }, count);
    byPolicy.reset();
    for (const { verdict, policy, count } of sample.byPolicy) byPolicy.inc({ verdict, policy }, count);
    incidents.reset();
    for (const { count, peer, event, code } of sample.incidents) incidents.inc({ peer, event, code }, count);
    return registry.metrics();
  };
  return { contentType: registry.contentType, metrics };
}

function createGauges(registry: Registry) {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name: `meridian_${name}`, help, labelNames, registers: [registry] });
  return {
    revision: gauge('store_revision', 'The number of the last commit that changed something'),
    resources: gauge('resources', 'Resources that are stored here', 'type'),
    nats: gauge('nats_connected', '1 while NATS is connected; absent where there is none'),
    online: gauge('peer_online', '1 while the peer is heard', 'peer'),
    upToDate: gauge('peer_up_to_date', '1 when everything that the peer announced is here and adds up', 'peer'),
    refused: gauge('refused', 'Resources of the peer that are refused here', 'peer'),
    refusedByType: gauge('refused_by_type', 'The same, by kind; `unknown`: of kinds that this program does not know', 'peer', 'type'),
    proxies: gauge(
      'proxies',
      'Envoys that were connected here: connected and disconnected; of these, refusing an update, or with a problem',
      'state',
    ),
    heldResources: gauge('zone_held_resources', 'Resources that the zone has at global', 'peer'),
    heldBytes: gauge('zone_held_bytes', 'What they say takes so many bytes', 'peer'),
    longestTurn: gauge('longest_turn_seconds', 'The longest turn of the event loop since the start, by what was done in it', 'work'),
    longTurns: gauge('long_turns', 'Turns of the event loop of more than 100 ms since the start, by what was done in them', 'work'),
    failures: gauge('sync_failures', 'Pulls from the peer that failed in a row', 'peer'),
  };
}

function fill(gauges: ReturnType<typeof createGauges>, { revision, resources, natsConnected, peers, proxies, turns }: Sample): void {
  for (const gauge of Object.values(gauges)) gauge.reset();
  gauges.revision.set(revision);
  for (const { type, count } of resources) gauges.resources.set({ type }, count);
  if (natsConnected === undefined) gauges.nats.remove();
  else gauges.nats.set(Number(natsConnected));
  if (proxies) fillProxies(gauges.proxies, proxies);
  fillTurns(gauges, turns);
  for (const { peer, online, upToDate, refused, refusedByType, failures, held } of peers) {
    gauges.online.set({ peer }, Number(online));
    gauges.upToDate.set({ peer }, Number(upToDate));
    gauges.refused.set({ peer }, refused);
    for (const [type, count] of refusedByType) gauges.refusedByType.set({ peer, type }, count);
    gauges.failures.set({ peer }, failures);
    if (held) gauges.heldResources.set({ peer }, held.resources);
    if (held) gauges.heldBytes.set({ peer }, held.bytes);
  }
}

function fillProxies(gauge: Gauge, { connected, disconnected, refusing, withProblems: problem }: ProxySample): void {
  for (const [state, count] of Object.entries({ connected, disconnected, refusing, problem })) gauge.set({ state }, count);
}

/** Of several of one work, the longest; and all the long ones. */
function fillTurns({ longestTurn, longTurns }: ReturnType<typeof createGauges>, turns: Sample['turns']): void {
  for (const work of new Set(turns.map((turn) => turn.work))) {
    const ofWork = turns.filter((turn) => turn.work === work);
    longestTurn.set({ work }, Math.max(...ofWork.map(({ milliseconds }) => milliseconds)) / 1000);
    const long = ofWork.reduce((sum, turn) => sum + turn.long, 0);
    longTurns.set({ work }, long);
  }
}
