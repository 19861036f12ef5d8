import { type sendUnaryData, type ServerUnaryCall, status } from '@grpc/grpc-js';
import { asMeridianError } from '../../errors.ts';
import type { Report } from '../../report.ts';
import { ASK_HEADERS, TOKEN_HEADER } from '../envoy/ask-zone.ts';
import type { CheckRequest, CheckResponse } from '../wire/check-messages.ts';
import { type Caller, callerOf } from './authenticate-caller.ts';
import type { ProxyId } from './proxy-id.ts';

/** A call about which a proxy asks. */
export interface AskedCall {
  readonly proxy: ProxyId;
  /** The inbound's name. */
  readonly inbound: string;
  /** Who calls: the SPIFFE ID that Envoy took from the certificate, '' where there is none. */
  readonly caller: string;
  /** What it shows; undefined: nothing. */
  readonly token: string | undefined;
}

/** What decides about calls. */
export interface CallChecks {
  /** The proxy that asks, now; undefined: it proves nothing. */
  readonly authenticate: (caller: Caller) => ProxyId | undefined;
  readonly check: (call: AskedCall) => CheckResponse;
}

/** Answers a Check. For who proves no proxy, and for what can't be decided now, that is an error: Envoy denies. */
export function answerCheck(
  call: ServerUnaryCall<CheckRequest, CheckResponse>,
  answer: sendUnaryData<CheckResponse>,
  { authenticate, check }: CallChecks,
  report: Report,
): void {
  const node = firstOf(call, ASK_HEADERS.node);
  try {
    const proxy = authenticate(callerOf(call, node));
    if (proxy) return answer(null, check({ proxy, ...whatIsAsked(call) }));
    report('warn', 'a question about a call was refused: nothing proves which proxy asks', { node, peer: call.getPeer() });
    answer({ code: status.UNAUTHENTICATED, details: 'nothing proves which proxy asks' });
  } catch (thrown) {
    report('error', 'a call could not be decided', { node, reason: asMeridianError(thrown).message });
    answer({ code: status.UNAVAILABLE, details: 'it can not be decided now' });
  }
}

function whatIsAsked(call: ServerUnaryCall<CheckRequest, CheckResponse>): Omit<AskedCall, 'proxy'> {
  const { principal, headers, serverName } = call.request;
  const [label = ''] = serverName.split('.');
  return { inbound: firstOf(call, ASK_HEADERS.inbound), caller: principal, token: headers.get(TOKEN_HEADER) ?? (label || undefined) };
}

/** '' where there is none, or several. */
function firstOf({ metadata }: ServerUnaryCall<CheckRequest, CheckResponse>, name: string): string {
  const [first, ...more] = metadata.get(name).map(String);
  return first === undefined || more.length > 0 ? '' : first;
}
