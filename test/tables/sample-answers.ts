/** What a control plane answers in the specs of tables: names as long as people give them, every state, one of each. */

const DAY = 86_400_000;

/** A time that is so many days ago whenever it is printed. */
function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY - 60_000).toISOString();
}

const POSITION = { store: 'a1', term: 1, revision: 41, digest: 'dd', count: 340 };

function resource(type: string, name: string, labels: Readonly<Record<string, string>>, more: object = {}) {
  const all = { 'kuma.io/mesh': 'default', 'kuma.io/display-name': name, ...labels };
  const kri = `kri_mtp_default_${labels['kuma.io/zone'] ?? ''}__${name}_`;
  return { type, mesh: 'default', name, creationTime: daysAgo(3), modificationTime: daysAgo(1), labels: all, kri, spec: {}, ...more };
}

const OWNER = {
  'kuma.io/zone': 'east',
  'k8s.kuma.io/namespace': 'backend-ns',
  'kuma.io/policy-role': 'workload-owner',
  'kuma.io/origin': 'zone',
};
const SYSTEM = { 'kuma.io/policy-role': 'system', 'kuma.io/origin': 'global' };
const OPERATORS = resource('MeshTrafficPermission', 'by-mesh-operator', SYSTEM, {
  spec: { targetRef: { kind: 'Mesh' }, default: { allow: [{ spiffeId: { type: 'Prefix', value: 'spiffe://trust-domain.mesh' } }] } },
});
const PERMISSIONS = [OPERATORS, resource('MeshTrafficPermission', 'allow-the-frontend-and-nobody-else-x27ddd6vx7vd4749', OWNER)];
const PROXY = resource('Dataplane', 'backend-1-x27ddd6vx7vd4749', OWNER);
const REASON = 'mesh demo does not exist here, so that what is in it waits until somebody applies it';

const PEERS = [
  {
    peer: 'east',
    online: true,
    upToDate: true,
    lastSeen: daysAgo(0),
    head: POSITION,
    ack: { position: POSITION, refusals: '' },
    about: { environment: 'kubernetes', systemNamespace: 'kuma-system', version: '0.1.0' },
    refused: [],
  },
  {
    peer: 'south-america-east-1',
    online: false,
    upToDate: false,
    lastSeen: daysAgo(2),
    head: POSITION,
    ack: { position: { ...POSITION, revision: 38, digest: 'ee' }, refusals: '', notTaken: 'the disk is full' },
    about: { environment: 'universal', systemNamespace: '', version: '0.0.9' },
    refused: [{ type: 'MeshTimeout', mesh: 'demo', name: 'slow', reason: REASON }],
  },
];

function entry(name: string, peer: string, state: string, more: object = {}) {
  return { kri: `kri_${name}`, type: 'MeshTrafficPermission', mesh: 'default', zone: '', namespace: '', name, peer, state, ...more };
}

const LEDGER = [
  entry('by-mesh-operator', 'east', 'applied'),
  entry('by-mesh-operator', 'south-america-east-1', 'on its way', { since: daysAgo(2) }),
  entry('slow', 'south-america-east-1', 'refused', { since: daysAgo(2), reason: REASON, type: 'MeshTimeout' }),
];

const verdict = (decision: string, decidedBy: string | null) => ({
  decision,
  shadow: decision,
  decidedBy,
  shadowDecidedBy: decidedBy,
});
const IMPACT = {
  changes: [
    {
      mesh: 'default',
      inbounds: [{ kri: 'k', dataplane: 'backend-1-x27ddd6vx7vd4749', zone: 'east', inbound: '8080' }],
      callers: [
        {
          from: [{ kind: 'prefix', spiffeId: 'spiffe://trust-domain.mesh/ns/observability', except: [] }],
          verdicts: [
            {
              when: { method: 'GET', path: { type: 'Prefix', value: '/metrics' } },
              before: verdict('Allow', 'kri_mtp_default___by-mesh-operator_'),
              after: verdict('Deny', null),
            },
          ],
        },
      ],
    },
  ],
  callerSets: [],
};

const CAN = { ...verdict('Allow', 'kri_mtp_default_east_backend-ns_by-backend-owner_'), enforced: true, reason: 'an allow list names it' };
const EDGE = {
  ...verdict('Allow', null),
  enforced: false,
  reason: 'not enforced: the listeners of gateways are not served, so nobody asks what the policies say',
};
const ACCESS = {
  enforced: false,
  caller: { attributes: [{ key: 'k8s:label:app', value: 'web', trust: 'subject', source: 'the labels of the Dataplane web' }] },
  bindings: [{ site: 'east', allowed: true, decidedBy: 'kri_ap_default_east_pay_let-web-in_', reason: 'it allows' }],
  left: [{ site: 'south-america-east-1', why: 'declined', reason: 'its attributes differ from those of east' }],
  pick: null,
};
const CONNECTED = {
  here: ACCESS,
  site: 'east',
  there: { allowed: true, decidedBy: 'kri_pap_default____the-shop-may-enter_', reason: 'it allows' },
  identity: 'spiffe://default/web',
  token: 'dG9rZW4',
  expiresIn: 5000,
};
const TURNS = [
  { work: 'dry run', about: '', milliseconds: 261.4, at: daysAgo(1), long: 3 },
  { work: 'answer', about: 'GET /meshes/:mesh/dataplanes/:name/_rules', milliseconds: 48.2, at: daysAgo(2), long: 0 },
  { work: 'transfer', about: 'south-america-east-1', milliseconds: 12, at: daysAgo(3), long: 0 },
];

const AUDIT = [
  {
    time: '2026-01-02T03:04:05.678Z',
    principal: 'ci@example.com',
    address: '10.0.0.7',
    operation: 'apply',
    kri: 'kri_mtp_default___by-mesh-operator_',
    outcome: 'created',
    revision: 41,
    code: null,
  },
  {
    time: '2026-01-02T03:04:05.678Z',
    principal: 'loopback',
    address: '127.0.0.1',
    operation: 'delete',
    type: 'MeshTimeout',
    name: 'slow',
    outcome: 'refused',
    revision: null,
    code: 'not_found',
  },
];

const ZONES = [
  { type: 'Zone', name: 'east', creationTime: daysAgo(30), enabled: true },
  { type: 'Zone', name: 'south-america-east-1', creationTime: daysAgo(3), enabled: false },
];
const TOKENS = [
  { id: '3b30c0b6096472dcf47f0cff', name: 'ci', role: 'admin', expires: '2026-01-02T03:04:05.000Z', issuedBy: 'loopback' },
  {
    id: '9f30c0b6096472dcf47f0c00',
    name: 'east-operators',
    role: 'zone-operator',
    zone: 'east',
    expires: '2026-01-02T03:04:05.000Z',
    issuedBy: 'ci',
    revoked: true,
  },
];
const LIST = (items: readonly object[]) => ({ total: items.length, items, next: null });
const RULE = { kri: 'kri_mtp_default___by-mesh-operator_', conf: { allow: [{ spiffeId: { type: 'Exact', value: 'spiffe://td/a' } }] } };

/** By the path without its query; what is not here is an empty list. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  '/': { implementation: { name: 'meridian', version: '0.1.0' } },
  '/config': { mode: 'global', environment: 'universal' },
  '/_sync': { diverged: null, ended: null, peers: PEERS },
  '/_ledger': LIST(LEDGER),
  '/_audit': LIST(AUDIT),
  '/_without': IMPACT,
  '/apply': { results: [{ type: 'Mesh', mesh: '', name: 'demo', kri: 'kri_m____demo_', outcome: 'created' }], ...IMPACT },
  '/can': CAN,
  '/can/many': { answers: [{ verdict: CAN }, { verdict: EDGE }, { error: { detail: 'Not found' } }] },
  '/access': ACCESS,
  '/access/connect': CONNECTED,
  '/_turns': { turns: TURNS },
  '/tokens': LIST(TOKENS),
  '/zones': LIST(ZONES),
  '/meshes/default/meshtrafficpermissions': LIST(PERMISSIONS),
  '/meshes/default/meshtrafficpermissions/by-mesh-operator': OPERATORS,
  '/meshes/default/meshtrafficpermissions/by-mesh-operator/_resources/dataplanes': LIST([PROXY]),
  '/meshes/default/meshtrafficpermissions/by-mesh-operator/_enforcement': { warnings: [] },
  '/meshes/default/dataplanes': LIST([PROXY]),
  '/meshes/default/dataplanes/_overview': LIST([PROXY, resource('Dataplane', 'web-1', { ...OWNER, 'k8s.kuma.io/namespace': 'web' })]),
  '/meshes/default/dataplanes/web-1/_layout': { inbounds: [{ kri: 'kri_dp_default_east_web_web-1_8080' }] },
  '/meshes/default/dataplanes/web-1/_policies': { policies: [], warnings: [] },
  '/meshes/default/dataplanes/web-1/_rules': { rules: [] },
  '/meshes/default/dataplanes/web-1/_inbounds/kri_dp_default_east_web_web-1_8080/_policies': {
    policies: [{ kind: 'MeshTrafficPermission', rules: [RULE] }],
  },
};

/** The answer to a request. */
export function answerTo(url: string): unknown {
  const path = decodeURIComponent(url.split('?')[0] ?? '');
  return ANSWERS[path] ?? LIST([]);
}
