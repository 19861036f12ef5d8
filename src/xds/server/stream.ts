import type { Report } from '../../report.ts';
import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import { asMeridianError } from '../../errors.ts';
import { type Authenticate, type Caller, callerOf, type ProxyProof } from './authenticate-caller.ts';
import type { Clock } from './clock.ts';
import { encodeSnapshot } from '../wire/encode-resource.ts';
import { formatVersion, whyTooOld } from './envoy-version.ts';
import type { Proxies, Stream, StreamView } from './connected-proxies.ts';
import { nodeId, type ProxyId } from './proxy-id.ts';
import { XdsSession } from './session.ts';
import type { Snapshot } from '../wire/resource-types.ts';
import type { DeltaRequest, DeltaResponse } from '../wire/delta-messages.ts';

export type DeltaCall = ServerDuplexStream<DeltaRequest, DeltaResponse>;

/** What the streams of a server share. */
export interface StreamContext {
  readonly authenticate: Authenticate;
  /**
   * What the proxy is to have; undefined: there is no such Dataplane. Throws: it can't be said now, and the proxy keeps
   * what it has.
   */
  readonly snapshotOf: (proxy: ProxyId) => Snapshot | undefined;
  readonly proxies: Proxies;
  readonly clock: Clock;
  readonly report: Report;
}

/** How long a stream may be open without saying whose it is. */
const FIRST_REQUEST = 10_000;
/** After how long a proof that still holds is asked for again at the latest. */
const PROVEN = 30_000;

/** Serves one call: its first request says whose it is and proves it, or the call ends with the reason. */
export function serve(call: DeltaCall, shared: StreamContext): void {
  let served: ProxyStream | undefined;
  let refused = false;
  const silent = setTimeout(() => end(call, status.DEADLINE_EXCEEDED, 'no request came'), FIRST_REQUEST).unref();
  const close = (): void => {
    clearTimeout(silent);
    served?.close();
  };
  call.on('data', (request: DeltaRequest) => {
    clearTimeout(silent);
    // What comes behind a first request that was refused is not looked at: the call has ended.
    if (refused) return;
    served ??= admitted(call, request, shared);
    refused = served === undefined;
    served?.request(request);
  });
  call.on('end', () => {
    close();
    call.end();
  });
  call.on('cancelled', close);
  // A call that broke off is over: grpc-js says 'cancelled' too, and nothing was lost that the next stream would not
  // send.
  call.on('error', close);
}

/** A proof that can't be judged now is none: the proxy comes back. */
function admitted(call: DeltaCall, request: DeltaRequest, shared: StreamContext): ProxyStream | undefined {
  try {
    return admit(call, request, shared);
  } catch (thrown) {
    const reason = asMeridianError(thrown).message;
    shared.report('warn', 'a proxy was refused', { node: request.node?.id, reason });
    end(call, status.UNAVAILABLE, 'who this is can not be judged now');
    return undefined;
  }
}

/** Out: undefined when the call was refused, which has ended it. */
function admit(call: DeltaCall, { node }: DeltaRequest, shared: StreamContext): ProxyStream | undefined {
  const id = node?.id ?? '';
  const caller = callerOf(call, id);
  const proof = shared.authenticate(caller);
  if (!proof) {
    shared.report('warn', 'a proxy was refused: it does not prove who it is', { node: id, peer: call.getPeer() });
    end(call, status.UNAUTHENTICATED, `nothing proves that this is ${id || 'a proxy'}: a token or a certificate of it is needed`);
    return undefined;
  }
  const reason = whyTooOld(node?.version);
  if (reason === undefined) return new ProxyStream(call, caller, proof, node?.version ? formatVersion(node.version) : '', shared);
  if (shared.proxies.refuse(proof.proxy, reason)) shared.report('warn', 'a proxy was refused', { node: id, reason });
  end(call, status.FAILED_PRECONDITION, reason);
  return undefined;
}

function end(call: DeltaCall, code: status, details: string): void {
  call.emit('error', Object.assign(new Error(details), { code, details }));
}

/** The stream of a proxy that is known. */
class ProxyStream implements Stream {
  private readonly call: DeltaCall;
  private readonly caller: Caller;
  private readonly envoyVersion: string;
  private readonly shared: StreamContext;

  private readonly proxy: ProxyId;
  private readonly session: XdsSession;
  private readonly since: string;
  private readonly id: string;
  private full = false;
  private over = false;
  private timer: NodeJS.Timeout | undefined;
  private judging: NodeJS.Timeout | undefined;

  constructor(call: DeltaCall, caller: Caller, proof: ProxyProof, envoyVersion: string, shared: StreamContext) {
    this.call = call;
    this.caller = caller;
    this.envoyVersion = envoyVersion;
    this.shared = shared;
    this.proxy = proof.proxy;
    this.session = new XdsSession(shared.clock);
    this.since = shared.clock.time();
    this.id = nodeId(proof.proxy);
    shared.proxies.add(proof.proxy, this);
    shared.report('info', 'a proxy is connected', { node: this.id, envoyVersion });
    call.on('drain', () => {
      this.full = false;
      this.flow();
    });
    this.believe(proof);
    this.update();
  }

  request(request: DeltaRequest): void {
    if (this.over) return;
    if (request.node && request.node.id !== this.id) return this.fail(status.INVALID_ARGUMENT, 'a stream is of one node');
    if (request.error !== undefined) {
      this.shared.report('warn', 'a proxy refused an update', { node: this.id, typeUrl: request.typeUrl, reason: request.error });
    }
    try {
      this.session.request(request);
    } catch (thrown) {
      return this.fail(status.RESOURCE_EXHAUSTED, asMeridianError(thrown).message);
    }
    this.flow();
  }

  changed(): void {
    this.update();
    this.flow();
  }

  judge(): void {
    if (this.over) return;
    clearTimeout(this.judging);
    const proof = this.prove();
    if (proof) this.believe(proof);
    else this.disprove('its token or certificate has ended, or is accepted no more');
  }

  end(): void {
    this.fail(status.UNAVAILABLE, 'the server ends');
  }

  view(): Omit<StreamView, 'connected' | 'until'> {
    return { envoyVersion: this.envoyVersion, since: this.since, types: this.session.view() };
  }

  close(): void {
    if (this.over) return;
    this.over = true;
    clearTimeout(this.timer);
    clearTimeout(this.judging);
    this.shared.proxies.remove(this.proxy, this);
    this.shared.report('info', 'a proxy is gone', { node: this.id });
  }

  /** What can't be judged is no proof. */
  private prove(): ProxyProof | undefined {
    try {
      return this.shared.authenticate(this.caller);
    } catch (thrown) {
      this.shared.report('warn', 'who a proxy is can not be judged', { node: this.id, reason: asMeridianError(thrown).message });
      return undefined;
    }
  }

  /** A stream lasts no longer than the proof that it was opened with. */
  private believe({ validFor }: ProxyProof): void {
    this.judging = setTimeout(() => this.judge(), Math.min(PROVEN, validFor * 1000)).unref();
  }

  private disprove(reason: string): void {
    this.shared.proxies.refuse(this.proxy, reason);
    this.shared.report('warn', 'a proxy was refused', { node: this.id, reason });
    this.fail(status.UNAUTHENTICATED, reason);
  }

  private fail(code: status, details: string): void {
    end(this.call, code, details);
  }

  private update(): void {
    const { proxies, snapshotOf, report } = this.shared;
    try {
      const snapshot = snapshotOf(this.proxy);
      this.session.update(snapshot ? encodeSnapshot(snapshot) : new Map());
      proxies.problem(this.proxy, undefined);
    } catch (thrown) {
      const error = asMeridianError(thrown);
      if (proxies.problem(this.proxy, error.message)) report('warn', 'a proxy keeps what it has', { node: this.id, reason: error.message });
    }
  }

  /** Writes what there is to write, as long as the network takes it. */
  private flow(): void {
    while (!this.full && !this.over) {
      const response = this.session.next();
      if (!response) break;
      this.full = !this.call.write(response);
    }
    this.wake();
  }

  private wake(): void {
    clearTimeout(this.timer);
    const at = this.session.wakeAt();
    if (at === undefined || this.over) return;
    this.timer = setTimeout(() => this.flow(), Math.max(1, at - this.shared.clock.now())).unref();
  }
}
