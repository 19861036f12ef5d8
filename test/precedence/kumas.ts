import { asArray, asObject, asText } from '../../src/naming/json.ts';
import { isObject } from '../../src/resource/field-path.ts';
import type { JsonObject, JsonValue } from '../../src/resource/resource.ts';
import { MESH, type PolicyPair } from './generate.ts';
import { type ProxyAnswers, line } from './ours.ts';
import { type Space, worldOf } from './world.ts';

const PLURALS: Readonly<Record<string, string>> = {
  Dataplane: 'dataplanes',
  MeshService: 'meshservices',
  MeshHTTPRoute: 'meshhttproutes',
  MeshTimeout: 'meshtimeouts',
  MeshTrafficPermission: 'meshtrafficpermissions',
};
const PROXIES = ['backend-1', 'client-1'];

/** Asks a real kuma-cp at `url` for what it makes of pairs, in meshes of its own. */
export class Kuma {
  private readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** Makes the world of a space in the mesh that pairs of that space are asked in. */
  async prepare(space: Space): Promise<void> {
    await this.#send('PUT', `/meshes/${meshOf(space)}`, {
      type: 'Mesh',
      name: meshOf(space),
      skipCreatingInitialPolicies: ['*'],
      meshServices: { mode: 'Exclusive' },
    });
    for (const document of worldOf(meshOf(space), space)) await this.#send('PUT', pathOf(document), document);
  }

  /** Puts a pair, reads what it comes to on every proxy, and takes it away again. */
  async answer({ space, policies }: PolicyPair): Promise<ProxyAnswers> {
    const given = policies.map((policy): JsonObject => ({ ...policy, mesh: meshOf(space) }));
    for (const policy of given) await this.#send('PUT', pathOf(policy), policy);
    const selected = await Promise.all(given.filter(({ type }) => type === 'MeshTimeout').map((policy) => this.#selected(policy)));
    const answers = await Promise.all(
      PROXIES.map(async (proxy) => {
        const { rules } = await this.#send('GET', `/meshes/${meshOf(space)}/dataplanes/${proxy}/_rules`);
        const asked = asArray(rules)
          .filter(isObject)
          .filter(({ type }) => type === policies[0].type);
        const lines = asked.flatMap(linesOf);
        return [
          proxy,
          [...lines, ...selected.flatMap(({ name, proxies }) => (proxies.includes(proxy) ? [`selected ${name}`] : []))].sort(),
        ] as const;
      }),
    );
    for (const policy of given) await this.#send('DELETE', pathOf(policy));
    return Object.fromEntries(answers);
  }

  async #selected(policy: JsonObject): Promise<{ readonly name: string; readonly proxies: readonly unknown[] }> {
    const { items } = await this.#send('GET', `${pathOf(policy)}/_resources/dataplanes`);
    return { name: asText(policy.name) ?? '', proxies: asArray(items).map((item) => asObject(item)?.name) };
  }

  async #send(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${this.url}${path}`, { method, headers: { 'content-type': 'application/json' }, ...sent });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text} ${sent.body ?? ''}`);
    return text.startsWith('{') ? (JSON.parse(text) as JsonObject) : {};
  }
}

function meshOf(space: Space): string {
  return space === '' ? MESH : `${MESH}-${space}`;
}

function pathOf({ type, mesh, name }: JsonObject): string {
  return `/meshes/${asText(mesh) ?? ''}/${PLURALS[(asText(type) ?? '')] ?? ''}/${asText(name) ?? ''}`;
}

function linesOf({ fromRules, toResourceRules }: JsonObject): string[] {
  const from = asArray(fromRules).flatMap((side) => {
    const inbound = asObject(asObject(side)?.inbound)?.name;
    return asArray(asObject(side)?.rules).map((rule) => {
      const { origin, conf } = asObject(rule) ?? {};
      return line(asText(inbound) ?? '', asArray(origin).map(nameOf), conf);
    });
  });
  const to = asArray(toResourceRules).map((rule) => {
    const { conf, origin, resourceMeta, resourceSectionName } = asObject(rule) ?? {};
    const { type, name } = asObject(resourceMeta) ?? {};
    const target = type === 'Mesh' ? MESH : (asText(name) ?? '');
    const names = asArray(origin).map((one) => nameOf(asObject(one)?.resourceMeta));
    return line(
      `${asText(type) ?? ''} ${target}#${typeof resourceSectionName === 'string' ? resourceSectionName : ''}`,
      names,
      asArray(conf)[0],
    );
  });
  return [...from, ...to];
}

function nameOf(meta: JsonValue | undefined): string {
  return asText(asObject(meta)?.name) ?? '';
}
