import { fromBinary, type Message } from '@bufbuild/protobuf';
import { jsonToBytes } from './json-to-bytes.ts';
import { messageOf } from './type-registry.ts';

/** The one method of the external authorization service. */
export const CHECK_PATH = '/envoy.service.auth.v3.Authorization/Check';

const REQUEST = messageOf('envoy.service.auth.v3.CheckRequest');
const RESPONSE = messageOf('envoy.service.auth.v3.CheckResponse');

/** A CheckRequest as far as it is looked at. What is not said is ''. */
export interface CheckRequest {
  /** The caller, as its certificate says: the first URI SAN. */
  readonly principal: string;
  /** Headers of the request by their lower-case names; none on TCP. */
  readonly headers: ReadonlyMap<string, string>;
  /** The server name that the caller asked TLS for. */
  readonly serverName: string;
}

/** What an Envoy is told: whether the call may go on, and for the caller why not. */
export type CheckResponse = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

/** The message as protobuf gives it: the fields that are read here. */
interface RawCheck extends Message {
  readonly attributes?: {
    readonly source?: { readonly principal: string };
    readonly request?: { readonly http?: { readonly headers: readonly { readonly key: string; readonly value: string }[] } };
    readonly tlsSession?: { readonly sni: string };
  };
}

/** Throws what protobuf throws for bytes that are not such a message. */
export function readCheck(bytes: Uint8Array): CheckRequest {
  const { attributes } = fromBinary(REQUEST, bytes) as RawCheck;
  const headers = attributes?.request?.http?.headers ?? [];
  return {
    principal: attributes?.source?.principal ?? '',
    headers: new Map(headers.map(({ key, value }) => [key, value])),
    serverName: attributes?.tlsSession?.sni ?? '',
  };
}

const OK = 0;
const PERMISSION_DENIED = 7;
const FORBIDDEN = 403;

export function writeCheck(response: CheckResponse): Buffer {
  if (response.allowed) return Buffer.from(jsonToBytes(RESPONSE, { status: { code: OK } }));
  const deniedResponse = { status: { code: FORBIDDEN }, body: `access denied: ${response.reason}\n` };
  return Buffer.from(jsonToBytes(RESPONSE, { status: { code: PERMISSION_DENIED }, deniedResponse }));
}
