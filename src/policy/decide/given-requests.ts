import { invalid, type Problem } from '../../errors.ts';
import { asArray, asObject, asText } from '../../naming/json.ts';
import type { Key } from '../../resource/key.ts';
import { kindOf } from '../../resource/kinds.ts';
import { LABEL } from '../../resource/labels.ts';
import { parseDocument } from '../../resource/documents/parse-documents.ts';
import { type Draft, GLOBAL, type Resource } from '../../resource/resource.ts';
import { validateDraft } from '../../resource/documents/validate-draft.ts';
import { relabel } from '../relabel-copy.ts';
import { hasRole, roleOf } from '../policy-role.ts';

const SYSTEM_NAMESPACE = 'kuma-system';
const NEVER = '1970-01-01T00:00:00Z';

/**
 * A resource from a document alone, for questions that ask no server: there are no stores, so the labels of the
 * document say where it is from (`kuma.io/zone`, `k8s.kuma.io/namespace`, `kuma.io/display-name`). A Dataplane may also
 * say its zone by its inbounds' tag. `where` names the document in problems. Throws `invalid` with all of them.
 *
 *   {type: MeshTrafficPermission, mesh: default, name: p, labels: {kuma.io/origin: global}}
 *   ->  (default, '', '', p), a system policy
 */
export function givenResource(value: unknown, where: string): Resource {
  const { draft, problems } = parseDocument(value);
  const all = draft ? [...problems, ...validateDraft(draft)] : problems;
  if (!draft || all.length > 0) throw refusal(where, all);
  const key = keyOf(draft);
  const kind = kindOf(draft.type);
  const role = hasRole(kind) ? roleOf(kind, draft.spec, key.namespace, SYSTEM_NAMESPACE) : undefined;
  if (role && 'problems' in role) throw refusal(where, role.problems);
  const environment = key.namespace === '' ? 'universal' : 'kubernetes';
  return {
    key,
    name: draft.name,
    namespace: key.namespace,
    labels: relabel(key, draft.labels, GLOBAL, environment, role?.role),
    spec: draft.spec,
    creationTime: NEVER,
    modificationTime: NEVER,
  };
}

function refusal(where: string, problems: readonly Problem[]): Error {
  return invalid(problems.map(({ field, reason }) => ({ field: `${where}: ${field}`, reason })));
}

function keyOf({ type, mesh, name, namespace = '', labels, spec }: Draft): Key {
  const zone = labels[LABEL.zone] ?? (type === 'Dataplane' ? taggedZone(spec) : undefined) ?? '';
  return { type, mesh, zone, namespace, name: labels[LABEL.displayName] ?? name };
}

function taggedZone(spec: Draft['spec']): string | undefined {
  const networking = asObject(spec.networking);
  const tagged = [...asArray(networking?.inbound).map(asObject), asObject(networking?.gateway)];
  return tagged.map((item) => asText(asObject(item?.tags)?.[LABEL.zone])).find((zone) => zone !== undefined);
}
