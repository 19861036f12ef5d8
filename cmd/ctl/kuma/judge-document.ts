import { isReadOnly } from '../../../src/api/resources/read-only-kinds.ts';
import { hashedName } from '../../../src/naming/hash-name.ts';
import { asText } from '../../../src/naming/json.ts';
import { findKind } from '../../../src/resource/kinds.ts';
import { LABEL, userLabels } from '../../../src/resource/labels.ts';
import { parseDocument } from '../../../src/resource/documents/parse-documents.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject, Place } from '../../../src/resource/resource.ts';
import { validateDraft } from '../../../src/resource/documents/validate-draft.ts';
import { namesOf } from '../documents/locate-document.ts';

/**
 * What becomes of a document of a Kuma export. `apply`: it is sent as `value`. `skip`: nothing is lost by leaving it
 * out, for the reason. `convert`: it says something that Meridian has no such kind for, so somebody has to say it anew,
 * or to say that it isn't wanted. `refuse`: a proxy that can't be taken as it is; left out it is served nothing, so
 * that nothing is opened, and the others needn't wait for it.
 */
export type DocumentJudgement =
  | { readonly verdict: 'apply'; readonly value: JsonObject }
  | { readonly verdict: 'skip' | 'convert' | 'refuse'; readonly reason: string };

/** Kuma's kinds from before targetRef, and what says the same today. */
const LEGACY: Readonly<Record<string, string>> = {
  CircuitBreaker: 'a MeshCircuitBreaker',
  ExternalService: 'a MeshExternalService',
  FaultInjection: 'a MeshFaultInjection',
  HealthCheck: 'a MeshHealthCheck',
  MeshGatewayRoute: 'a MeshHTTPRoute or MeshTCPRoute with targetRef.kind MeshGateway',
  ProxyTemplate: 'a MeshProxyPatch',
  RateLimit: 'a MeshRateLimit',
  Retry: 'a MeshRetry',
  Timeout: 'a MeshTimeout',
  TrafficLog: 'a MeshAccessLog',
  TrafficPermission: 'a MeshTrafficPermission; until then what it allowed is denied',
  TrafficRoute: 'a MeshHTTPRoute or MeshTCPRoute; the default route-all needs none',
  TrafficTrace: 'a MeshTrace',
  VirtualOutbound: 'a HostnameGenerator',
};

/** What there is nothing to do about, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  Secret: 'a secret: Meridian keeps none',
  GlobalSecret: 'a secret: Meridian keeps none; its own tokens are new',
  ZoneIngress: 'a proxy of a zone: Meridian has no such proxies',
  ZoneEgress: 'a proxy of a zone: Meridian has no such proxies',
};

/**
 * Judges one document of an export of the real kumactl, in either format, for the control plane at `place`.
 * `systemNamespace` is that of the Kuma that it comes from.
 *
 * At global:
 *
 *   MeshTimeout `slow.kuma-system` with the labels of a Kubernetes Kuma -> MeshTimeout `slow`, with the user's labels
 *   MeshTimeout with kuma.io/origin: zone                               -> skipped: its zone sends it
 */
export function judge(document: unknown, place: Place, systemNamespace: string): DocumentJudgement {
  const { type } = isObject(document) ? namesOf(document) : { type: '' };
  if (!isObject(document) || type === '') return { verdict: 'convert', reason: 'is no resource: it has neither `type` nor `kind`' };
  const legacy = ownEntry(LEGACY, type);
  if (legacy !== undefined)
    return judgeElsewhere(document, place) ?? { verdict: 'convert', reason: `is of a kind of before targetRef: write ${legacy}` };
  const leftOut = ownEntry(LEFT_OUT, type);
  if (leftOut !== undefined) return { verdict: 'skip', reason: leftOut };
  if (/(Insight|Overview)$/.test(type)) return { verdict: 'skip', reason: 'a report: control planes make it themselves' };
  const kind = findKind(type);
  if (!kind) return { verdict: 'convert', reason: 'is not a kind of Meridian' };
  if (isReadOnly(kind, place))
    return { verdict: 'skip', reason: `is written ${place.zone === '' ? 'in its zone' : 'at global'}: import it there` };
  const judged = judgeOrigin(document, place, systemNamespace);
  return kind.type === 'Dataplane' && judged.verdict === 'apply' ? judgeProxy(judged.value) : judged;
}

function judgeOrigin(document: JsonObject, place: Place, systemNamespace: string): DocumentJudgement {
  return judgeElsewhere(document, place) ?? { verdict: 'apply', value: adopt(document, labelsOf(document), systemNamespace) };
}

/** What another control plane wrote is looked at there. */
function judgeElsewhere(document: JsonObject, place: Place): DocumentJudgement | undefined {
  const labels = labelsOf(document);
  const origin = labels[LABEL.origin];
  const copied = copiedFrom(document, labels);
  if ((origin === 'zone' && place.zone === '') || (copied ?? '') !== '')
    return { verdict: 'skip', reason: `is of zone ${labels[LABEL.zone] ?? '?'}: import it there` };
  if ((origin === 'global' || copied === '') && place.zone !== '') return { verdict: 'skip', reason: 'is of global: import it there' };
  return undefined;
}

/**
 * Out: the zone that a document is a copy of, '' for global; undefined: it is no copy. Kuma's copies of what belongs to
 * no mesh have no `kuma.io/origin` (each zone makes HostnameGenerators, and global exports its copies of them), so that
 * only the name tells.
 */
function copiedFrom({ name, mesh, metadata }: JsonObject, labels: Readonly<Record<string, string>>): string | undefined {
  const [zone = '', namespace = ''] = [labels[LABEL.zone], labels[LABEL.namespace]];
  const parts = { mesh: labels[LABEL.mesh] ?? asText(mesh) ?? '', name: labels[LABEL.displayName] ?? '', zone, namespace };
  const own = isObject(metadata) ? metadata.name : name;
  return withoutNamespace(own, labels[LABEL.namespace]) === hashedName(parts) ? zone : undefined;
}

/**
 * Kuma has proxies that are none here: a pod behind two Services has two inbounds on one socket, of which only one
 * could be enforced.
 */
function judgeProxy(value: JsonObject): DocumentJudgement {
  const { draft, problems } = parseDocument(value);
  const [first, ...more] = [...problems, ...(draft ? validateDraft(draft) : [])];
  if (!first) return { verdict: 'apply', value };
  return { verdict: 'refuse', reason: `${first.field}: ${first.reason}${more.length > 0 ? ` (and ${more.length} more)` : ''}` };
}

/** The document as a user would write it here: without what Kuma computed. The mesh stays, wherever it says it. */
function adopt(document: JsonObject, labels: Readonly<Record<string, string>>, systemNamespace: string): JsonObject {
  const { metadata } = document;
  const mesh = labels[LABEL.mesh];
  const own = { ...userLabels(labels), ...(isObject(metadata) && mesh !== undefined ? { [LABEL.mesh]: mesh } : {}) };
  if (isObject(metadata)) {
    const { namespace, labels: _, ...rest } = metadata;
    return { ...document, metadata: { ...rest, ...(namespace === systemNamespace ? {} : { namespace }), labels: own } };
  }
  const namespace = labels[LABEL.namespace];
  const kept = namespace === undefined || namespace === systemNamespace ? own : { ...own, [LABEL.namespace]: namespace };
  return { ...document, name: withoutNamespace(document.name, namespace), labels: kept };
}

/** Kuma's REST API on Kubernetes has `slow.kuma-system`. */
function withoutNamespace(name: JsonObject[string], namespace: string | undefined): JsonObject[string] {
  const ending = `.${namespace}`;
  return typeof name === 'string' && namespace !== undefined && name.endsWith(ending) ? name.slice(0, -ending.length) : name;
}

function labelsOf({ labels, metadata }: JsonObject): Readonly<Record<string, string>> {
  const found = labels ?? (isObject(metadata) ? metadata.labels : undefined);
  const texts = Object.entries(isObject(found) ? found : {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(texts);
}

function ownEntry(table: Readonly<Record<string, string>>, type: string): string | undefined {
  return Object.hasOwn(table, type) ? table[type] : undefined;
}
