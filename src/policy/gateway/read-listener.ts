import { asArray, asObject, asText, isAbsent } from '../../naming/json.ts';
import type { JsonObject } from '../../resource/resource.ts';

/**
 * How callers come in. `plain`: in plain text; `own`: over TLS with these certificates of the listener, by the names of
 * their secrets. Neither proves who calls. `mesh`: over mutual TLS, with the identity that the mesh gave or trusts.
 */
export type ListenerSecurity =
  | { readonly kind: 'plain' }
  | { readonly kind: 'own'; readonly secrets: readonly string[] }
  | { readonly kind: 'mesh' };

/** A listener of a built-in gateway that is served. */
export interface GatewayListener {
  /** Of requests that are for it: a host, `*.` before the end of some, or `*` for all. */
  readonly hostname: string;
  readonly security: ListenerSecurity;
}

/**
 * A listener as its MeshGateway has it; or why it is not served (docs/gateways.md#what-is-served).
 *
 *   {port: 80, protocol: HTTP}                                            ->  *, plain
 *   {port: 80, protocol: HTTP, crossMesh: true, hostname: api.example}    ->  api.example, mesh
 *   {port: 443, protocol: HTTPS, tls: {certificates: [{secret: api}]}}    ->  *, own certificate `api`
 *   {port: 5432, protocol: TCP}                                           ->  not served
 */
export function readListener(written: JsonObject): GatewayListener | { readonly problem: string } {
  const { hostname, protocol, tls, crossMesh } = written;
  const host = isAbsent(hostname) || hostname === '' ? '*' : hostname;
  if (typeof host !== 'string' || !HOSTNAME.test(host) || host.length > 253) return { problem: 'its hostname is none' };
  if (!isAbsent(crossMesh) && typeof crossMesh !== 'boolean') return { problem: 'its crossMesh is neither true nor false' };
  switch (asText(protocol)?.toUpperCase() ?? '') {
    case 'HTTP':
      if (!isAbsent(tls)) return { problem: 'protocol HTTP has no `tls`: write HTTPS' };
      return { hostname: host, security: { kind: crossMesh === true ? 'mesh' : 'plain' } };
    case 'HTTPS':
      return crossMesh === true ? { problem: 'crossMesh is served with protocol HTTP alone' } : withCertificates(host, asObject(tls));
    default:
      return { problem: `protocol ${asText(protocol) ?? 'without a name'} is not served: only HTTP and HTTPS are` };
  }
}

const HOSTNAME = /^(\*|(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)$/;
const SECRET = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

function withCertificates(hostname: string, tls: JsonObject | undefined): GatewayListener | { readonly problem: string } {
  if (!isAbsent(tls?.mode) && tls?.mode !== 'TERMINATE') return { problem: 'of HTTPS only the tls mode TERMINATE is served' };
  const secrets = asArray(tls?.certificates).map((certificate) => asText(asObject(certificate)?.secret));
  if (secrets.length === 0) return { problem: 'HTTPS needs a certificate: tls.certificates names none' };
  if (!secrets.every((secret) => secret !== undefined && SECRET.test(secret)))
    return { problem: 'a certificate is named by `secret`, the name of a file beside the proxy’s own: no other form is served' };
  return { hostname, security: { kind: 'own', secrets: secrets.filter((secret) => secret !== undefined) } };
}

/** Whether callers show a certificate there, so that it is known who they are. */
export function provesCallers({ security }: Pick<GatewayListener, 'security'>): boolean {
  switch (security.kind) {
    case 'mesh':
      return true;
    case 'plain':
    case 'own':
      return false;
  }
}
