import { asText } from '../../src/naming/json.ts';
import type { JsonObject } from '../../src/resource/resource.ts';
import { KINDS } from '../../src/resource/kinds.ts';
import { AT_GLOBAL, dataplane, gateway, meshNamed, permission, timeout, zoneNamed } from './documents.ts';
import type { Command, RequestStep, Side, ComparedStep } from './step.ts';

const get = (on: Side, path: string, until?: RequestStep['until']): RequestStep => ({
  on,
  method: 'GET',
  path,
  ...(until ? { until } : {}),
});
const put = (on: Side, path: string, body: unknown, note?: string): RequestStep => ({ on, method: 'PUT', path, body, note });
const remove = (on: Side, path: string): RequestStep => ({ on, method: 'DELETE', path });
const run = (on: Side, kumactl: string, ...documents: JsonObject[]): Command => {
  const [first, ...more] = documents;
  if (!first) return { on, kumactl };
  return {
    on,
    kumactl,
    documents,
    note: `${asText(first.type)} ${asText(first.name)}${more.length > 0 ? ` and ${more.length} more` : ''}`,
  };
};
const timeoutAt = (name: string): string => `/meshes/default/meshtimeouts/${name}`;

const SETTING_UP: readonly ComparedStep[] = [
  run('global', 'config control-planes add --name global --address $URL'),
  run('global', 'config control-planes list'),
  run('zone', 'config control-planes add --name zone --address $URL'),
  run('global', 'version'),
  put('global', '/meshes/default', meshNamed('default')),
  run('global', 'apply -f @', meshNamed('m2', { mtls: { enabledBackend: 'ca', backends: [{ name: 'ca', type: 'builtin' }] } })),
  run('global', 'apply -f @', zoneNamed('zone-2')),
];

const INFORMATION: readonly ComparedStep[] = (['global', 'zone'] as const).flatMap((on) => [
  get(on, '/'),
  get(on, '/config'),
  get(on, '/_resources'),
  get(on, '/policies'),
  get(on, '/who-am-i'),
  get(on, '/versions'),
  get(on, '/nothing/here'),
]);

const APPLYING: readonly ComparedStep[] = [
  run('global', 'apply -f @ --dry-run', timeout('never', '1s')),
  get('global', timeoutAt('never')),
  run('global', 'apply -f @', ...AT_GLOBAL),
  run('global', 'apply -f @', ...AT_GLOBAL.slice(0, 4)),
  run('global', 'apply -f @ -v idle=7s', timeout('fast', '{{ idle }}')),
  run('global', 'apply -f @', permission('allow-obs', 'spiffe://default/ns/obs')),
  run('global', 'apply -f @', permission('slash', 'spiffe://default/ns/obs/')),
  run('global', 'apply -f @', dataplane('backend', 10_001)),
  run('global', 'apply -f @', timeout('nowhere', '1s', { mesh: 'nowhere' })),
  run('global', 'apply -f @', { ...timeout('wrong', '1s'), spec: {} }),
  run('global', 'apply -f @', { type: 'Nonsense', name: 'n' }),
  run('global', 'apply -f @', timeout('Big_Name', '1s')),
  run('global', 'apply -f none.yaml'),
];

const AT_THE_ZONE: readonly ComparedStep[] = [
  get('zone', '/_kri/kri_mtp_default___allow-obs_', () => true),
  get('zone', '/_kri/kri_mt_default___fast_', () => true),
  run('zone', 'apply -f @', dataplane('backend', 10_001), dataplane('web', 10_002), gateway('edge')),
  run('zone', 'apply -f @', permission('local', 'spiffe://default/ns/local', { 'kuma.io/origin': 'zone' })),
  run('zone', 'apply -f @', permission('unsaid', 'spiffe://default/ns/local')),
  run('zone', 'delete meshtrafficpermission unsaid'),
  run('zone', 'apply -f @', meshNamed('m3')),
  run('zone', 'apply -f @', timeout('fast-4f79b5db29x9wz25', '1s')),
  run('zone', 'delete meshtimeout fast-4f79b5db29x9wz25'),
  run('zone', 'get dataplanes'),
  run('zone', 'get dataplane backend-1 -o yaml'),
  run('zone', 'get meshtrafficpermissions -o json'),
  run('zone', 'get meshes'),
];

const ABOUT_PROXIES: readonly ComparedStep[] = (['zone', 'global'] as const).flatMap((on) => [
  get(on, '/meshes/default/dataplanes', ({ total }) => total === 3),
  get(on, '/meshes/default/dataplanes/_overview'),
  get(on, '/dataplanes/_overview?size=1'),
  get(on, '/meshes/default/dataplanes/_overview?tag=kuma.io/service:web'),
  get(on, '/meshes/default/dataplanes/_overview?gateway=true'),
  get(on, '/meshes/default/dataplanes+insights'),
  get(on, '/dataplanes+insights'),
  get(on, '/meshes/default/dataplanes+insights/nope'),
  get(on, '/dataplane-insights'),
  run(on, 'inspect dataplanes'),
  run(on, 'inspect dataplanes --tag kuma.io/service=web -o json'),
  run(on, 'inspect meshtrafficpermission allow-obs --new-api'),
]);

const ON_ONE_PROXY: readonly ComparedStep[] = [
  'dataplanes/backend-1/_overview',
  'dataplanes+insights/backend-1',
  'dataplanes/backend-1/_rules',
  'dataplanes/web-1/_rules',
  'dataplanes/backend-1/_layout',
  'dataplanes/backend-1/policies',
  'dataplanes/nope/_rules',
  'dataplanes/nope/_layout',
  'dataplanes/nope/policies',
  'meshtrafficpermissions/local/_resources/dataplanes',
  'meshtrafficpermissions/local/dataplanes',
  'meshtrafficpermissions/nope/_resources/dataplanes',
].map((path) => get('zone', `/meshes/default/${path}`));

const INSPECTING: readonly ComparedStep[] = [
  run('zone', 'inspect dataplane backend-1'),
  run('zone', 'inspect dataplane nope'),
  run('zone', 'inspect meshtrafficpermission local'),
  run('global', 'inspect zones'),
  run('global', 'inspect zones -o json'),
  run('global', 'inspect meshes'),
  run('global', 'inspect services'),
  run('zone', 'inspect services -o yaml'),
  run('global', 'inspect zoneingresses'),
  run('global', 'inspect zoneegresses'),
];

const LISTS: readonly ComparedStep[] = KINDS.filter(({ apiVersion }) => apiVersion.startsWith('kuma.io/')).flatMap(({ path, scope }) => [
  get('global', scope === 'Mesh' ? `/meshes/default/${path}` : `/${path}`),
  ...(scope === 'Mesh' ? [get('global', `/${path}?size=2`)] : []),
]);

const QUESTIONS: readonly ComparedStep[] = [
  '/meshes?size=1',
  '/meshes?size=1&offset=1',
  '/meshes?size=1&offset=7',
  '/meshes?name=m2',
  '/meshes?size=0',
  '/meshes?size=x',
  '/meshes?size=1001',
  '/meshes?offset=x',
  '/meshes?offset=-1',
  '/zones?name=zone-2',
  '/meshtimeouts?name=sample',
  '/meshes/default/meshtimeouts?filter[labels.kuma.io/mesh]=default&size=1',
  '/meshes/default/meshtimeouts?filter[labels.kuma.io/mesh]=other',
  '/meshes/default/meshtimeouts?filter[key]=default',
  '/meshes/default/meshtimeouts/fast',
  '/meshes/default/meshtimeouts/fast?format=kubernetes',
  '/meshes/default/meshtimeouts/fast?format=odd',
  '/meshes/default/meshtimeouts/nope',
  '/meshes/nowhere/meshtimeouts',
  '/meshes/nowhere/meshtimeouts/nope',
  '/meshes/nowhere',
  '/meshes/default/meshtrafficpermissions/allow-obs/_resources/dataplanes',
  '/_kri/kri_mt_default___fast_',
  '/_kri/kri_mt_default___nope_',
  '/_kri/kri_xx_default___nope_',
  '/_kri/nonsense',
  '/zones/_overview?name=zone-1',
  '/zones+insights?name=zone-2',
  '/zones+insights/zone-1',
  '/zones/zone-1/_overview',
  '/zones/nope/_overview',
].map((path) => get('global', path));

const INSIGHTS: readonly ComparedStep[] = [
  get('global', '/mesh-insights', ({ items }) => items?.[0]?.dataplanes?.total === 3),
  get('global', '/mesh-insights/m2'),
  get('global', '/mesh-insights/nope'),
  get('global', '/meshes/default/service-insights', ({ total }) => total === 3),
  get('global', '/service-insights?size=1'),
  get('global', '/meshes/default/service-insights/backend'),
  get('global', '/meshes/default/service-insights/nope'),
  get('global', '/meshes/default/service-insights?type=internal'),
  get('global', '/meshes/nowhere/service-insights'),
  get('global', '/global-insight', ({ dataplanes }) => dataplanes?.standard?.total === 2),
  get('zone', '/global-insight'),
  get('zone', '/mesh-insights'),
  get('zone', '/meshes/default/service-insights', ({ total }) => total === 3),
];

const WRITES: readonly ComparedStep[] = [
  put('global', timeoutAt('raw'), timeout('raw', '1s')),
  put('global', timeoutAt('raw'), timeout('raw', '2s'), 'again'),
  put('global', timeoutAt('raw'), { ...timeout('raw', '2s'), spec: fromAll({ idleTimeout: '1s' }) }, 'from'),
  put('global', timeoutAt('raw'), '{bad', 'no JSON'),
  put('global', timeoutAt('raw'), '', 'no body'),
  put('global', timeoutAt('raw'), timeout('other', '1s'), 'another name'),
  put('global', timeoutAt('raw'), { ...timeout('raw', '1s'), type: 'MeshRetry' }, 'another type'),
  put('global', timeoutAt('raw'), { ...timeout('raw', '1s'), mesh: 'm2' }, 'another mesh'),
  put('global', timeoutAt('raw'), { ...timeout('raw', '1s'), spec: {} }, 'empty spec'),
  put('global', timeoutAt('raw'), { ...timeout('raw', '1s'), labels: { 'kuma.io/zone': 'mars' } }, 'label of another zone'),
  put('global', timeoutAt('Raw_1'), timeout('Raw_1', '1s')),
  put('global', '/meshes/nowhere/meshtimeouts/raw', timeout('raw', '1s', { mesh: 'nowhere' })),
  put('global', '/meshes/default/dataplanes/backend-1', dataplane('backend', 10_001)),
  put('global', '/meshes/default/meshtrafficpermissions/empty', emptyAllow(), 'an empty matcher'),
  remove('global', '/meshes/default/meshtrafficpermissions/empty'),
  put('global', '/zones/zone-3', zoneNamed('zone-3')),
  remove('global', '/zones/zone-3'),
  remove('global', '/zones/nope'),
  remove('global', '/meshes/default'),
  remove('global', '/meshes/default/meshservices/nope'),
  remove('global', timeoutAt('raw')),
  remove('global', timeoutAt('raw')),
  remove('zone', '/meshes/m2'),
];

const GETTING: readonly ComparedStep[] = [
  ...['table', 'yaml', 'json'].flatMap((format) => [
    run('global', `get meshtimeouts -o ${format}`),
    run('global', `get meshtimeout fast -o ${format}`),
    run('global', `get meshes -o ${format}`),
  ]),
  run('global', 'get zones'),
  run('global', 'get meshtimeouts -m m2'),
  run('global', 'get meshtimeouts -m nowhere'),
  run('global', 'get meshtimeout nope'),
  run('global', 'get meshtimeouts --size 1'),
  run('global', 'get meshtimeouts --size 1 --offset 1'),
  run('global', 'get meshservices'),
];

/** What this project has not, and clients of Kuma ask for all the same. */
const ELSEWHERE: readonly ComparedStep[] = [
  ...['circuit-breakers', 'traffic-permissions', 'proxytemplates', 'secrets', 'meshzoneaddresses', 'meshopentelemetrybackends'].flatMap(
    (path) => [get('global', `/${path}`), get('global', `/meshes/default/${path}`), get('global', `/meshes/default/${path}/nope`)],
  ),
  ...['globalsecrets', 'global-secrets', 'zoneegresses', 'zone-ingresses', 'zoneegressoverviews'].map((path) => get('global', `/${path}`)),
  run('global', 'get circuit-breakers'),
  run('global', 'get circuit-breaker nope'),
  run('global', 'get secrets'),
  run('global', 'apply -f @', { type: 'Secret', mesh: 'default', name: 'mine', data: 'dGVzdA==' }),
  run('global', 'apply -f @', { type: 'Retry', mesh: 'default', name: 'old', ...oldRetry() }),
  run('global', 'generate user-token --name u --valid-for 1h'),
  run('global', 'generate zone-token --zone zone-1 --valid-for 1h'),
  run('zone', 'generate dataplane-token --name backend-1 --valid-for 1h'),
  run('zone', 'inspect dataplane backend-1 --type config-dump'),
];

const LEAVING: readonly ComparedStep[] = [
  run('global', 'export'),
  run('global', 'export --profile federation-with-policies'),
  run('global', 'export --profile all'),
  run('global', 'export --profile no-dataplanes'),
  run('global', 'export --format kubernetes --profile federation-with-policies'),
  run('global', 'export --profile nonsense'),
  run('global', 'delete meshtimeout fast'),
  run('global', 'delete meshtimeout fast'),
  run('global', 'delete zone zone-2'),
  run('global', 'delete mesh default'),
  run('zone', 'delete dataplane web-1'),
  run('global', 'config control-planes remove --name global'),
];

/** What a user of Kuma does in a day: the same on both. Later steps see what earlier ones left. */
export const SESSION: readonly ComparedStep[] = [
  ...SETTING_UP,
  ...INFORMATION,
  ...APPLYING,
  ...AT_THE_ZONE,
  ...ABOUT_PROXIES,
  ...ON_ONE_PROXY,
  ...INSPECTING,
  ...INSIGHTS,
  ...LISTS,
  ...QUESTIONS,
  ...WRITES,
  ...GETTING,
  ...ELSEWHERE,
  ...LEAVING,
];

function fromAll(conf: JsonObject): JsonObject {
  return { from: [{ targetRef: { kind: 'Mesh' }, default: conf }] };
}

function emptyAllow(): JsonObject {
  return { ...permission('empty', 'spiffe://default'), spec: { targetRef: { kind: 'Mesh' }, rules: [{ default: { allow: [{}] } }] } };
}

function oldRetry(): JsonObject {
  const match = [{ match: { 'kuma.io/service': '*' } }];
  return { sources: match, destinations: match, conf: { http: { numRetries: 1 } } };
}
