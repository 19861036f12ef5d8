/** Where a set of attributes is from: the workload that calls with its site, or the service that is called with its. */
export type AttributeSet = 'source' | 'destination';

interface KeyNames {
  readonly whole: Readonly<Record<string, string>>;
  /** Whatever follows one of these, to the prefix that it has in a set. */
  readonly prefixes: Readonly<Record<string, string>>;
}

/**
 * What a site is given by its operator is one attribute, however it is spelled: `site:<x>` and `cl:site:<x>`
 * (docs/design/sources.md#attributes), and ClusterLink's label. Its name is proven, and an attribute that the operator
 * calls `name` is another one.
 */
const SITE: KeyNames = {
  whole: {
    'cl:fabric': 'cl:fabric',
    'site:name': 'site:name',
    'peer.clusterlink.net/name': 'site:name',
    'cl:site:name': 'cl:site:name',
    'peer.clusterlink.net/labels.name': 'cl:site:name',
  },
  prefixes: { 'site:': 'site:', 'cl:site:': 'site:', 'peer.clusterlink.net/labels.': 'site:' },
};

const OWN: Readonly<Record<AttributeSet, KeyNames>> = {
  source: {
    whole: {
      'k8s:ns': 'k8s:ns',
      'k8s:sa': 'k8s:sa',
      'k8s:container-image': 'k8s:container-image',
      'k8s:init-container-image': 'k8s:init-container-image',
      'k8s:pod': 'k8s:pod',
      'k8s:owner': 'k8s:owner',
      'client.clusterlink.net/namespace': 'k8s:ns',
      'client.clusterlink.net/service-account': 'k8s:sa',
    },
    prefixes: { 'k8s:label:': 'k8s:label:', 'client.clusterlink.net/labels.': 'k8s:label:' },
  },
  destination: {
    whole: {
      'service:name': 'service:name',
      'k8s:ns': 'k8s:ns',
      'export.clusterlink.net/name': 'service:name',
      'export.clusterlink.net/namespace': 'k8s:ns',
    },
    // The labels of a MeshService are all that a user can say of a service.
    prefixes: { 'k8s:label:': 'k8s:label:', 'cl:service:': 'k8s:label:', 'export.clusterlink.net/labels.': 'k8s:label:' },
  },
};

/**
 * The one key under which a set of that side holds an attribute (docs/design/attributes.md#attributes). undefined: no
 * such set can have it.
 *
 *   source, client.clusterlink.net/labels.app  ->  k8s:label:app
 *   source, export.clusterlink.net/name        ->  undefined
 */
export function attributeKey(side: AttributeSet, key: string): string | undefined {
  return find(OWN[side], key) ?? find(SITE, key);
}

/**
 * The same for a key of a site's own attributes (`attributes` of a Zone). A key without a scope, or with another one,
 * is an attribute of the site too.
 */
export function siteKey(key: string): string {
  return find(SITE, key) ?? (key === 'name' ? 'cl:site:name' : `site:${key}`);
}

function find({ whole, prefixes }: KeyNames, key: string): string | undefined {
  if (Object.hasOwn(whole, key)) return whole[key];
  const prefix = Object.keys(prefixes).find((start) => key.startsWith(start) && key.length > start.length);
  return prefix === undefined ? undefined : `${prefixes[prefix]}${key.slice(prefix.length)}`;
}
