import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KUMACTL, NO_KUMACTL } from '../../test/harness/kumactl.ts';
import { Scope } from '../../test/harness/scope.ts';
import { until } from '../../test/harness/until.ts';
import { KUMA_CP, NO_KUMA_CP } from '../../test/side-by-side/kuma.ts';
import { type Breaks, leaveOut } from '../breaks.ts';
import { run as runProgram } from '../containers.ts';
import { ctl, ready, shows } from '../shop.ts';
import { COMPOSE, type World } from '../world.ts';

const KUMAS = { 'kuma-global': 15681, 'kuma-east': 15691 };
type Kuma = keyof typeof KUMAS;

const IDS = ['shop/sa/web', 'shop/sa/batch', 'audit/sa/reader', 'audit/sa/writer'];

/** Makes the image meridian-kuma:local of this machine's kuma-cp and kumactl. */
export async function prepare(inContainers: boolean): Promise<string | undefined> {
  if (KUMA_CP === undefined || KUMACTL === undefined) return NO_KUMA_CP || NO_KUMACTL || undefined;
  if (!inContainers) return undefined;
  const scope = new Scope();
  try {
    const folder = scope.folder();
    mkdirSync(join(folder, 'kuma'));
    copyFileSync(KUMA_CP, join(folder, 'kuma-cp'));
    copyFileSync(KUMACTL, join(folder, 'kumactl'));
    copyFileSync(fileURLToPath(new URL('Dockerfile', import.meta.url)), join(folder, 'Dockerfile'));
    const env = { ...process.env, DOCKER_BUILDKIT: process.env.DOCKER_BUILDKIT ?? '0' };
    const { code, err } = await runProgram('docker', ['build', '--quiet', '-t', 'meridian-kuma:local', folder], '', env);
    if (code !== 0) throw new Error(`meridian-kuma:local is not built: ${err}`);
    return undefined;
  } finally {
    await scope.close();
  }
}

export async function open(world: World): Promise<void> {
  await ready(world, 'east');
  for (const kuma of ['kuma-global', 'kuma-east'] as const) {
    await until(`${kuma} answers`, () =>
      kumactl(world, kuma, `config control-planes add --name kuma --overwrite --address ${urlOf(kuma)}`),
    );
  }
}

/** What a real Kuma has comes over with its own export, and who may call whom is decided as there. */
export async function run(world: World): Promise<void> {
  await kumactl(world, 'kuma-global', 'apply -f -', policy('kuma.yaml'));
  await until('the mesh is in kuma-east', () => kumactl(world, 'kuma-east', 'get mesh default'), world.patience);
  await kumactl(world, 'kuma-east', 'apply -f -', policy('kuma-orders.yaml'));

  const exported = await kumactl(world, 'kuma-global', 'export --profile federation-with-policies --format universal');
  const refused = await world.ctl('global', ['import', '-f', '-'], exported);
  if (refused.code !== 1 || !refused.out.includes('must be converted')) throw new Error(`all was taken: ${refused.out}${refused.err}`);
  await ctl(world, 'global', 'import -f - --partial', exported);
  await until(
    'east has the permissions',
    async () => (await ctl(world, 'east', 'get meshtrafficpermissions -o name')).includes('no-batch'),
    world.patience,
  );
  await ctl(world, 'east', 'import -f -', await kumactl(world, 'kuma-east', 'export --profile all --format universal'));
  await decideAlike(world);

  const again = await ctl(world, 'global', 'import -f - --partial', exported);
  if (/ (created|changed) /.test(again)) throw new Error(`a second time is not unchanged: ${again}`);
  await shows(world, 'global', 'ledger MeshTrafficPermission no-batch', 'applied');
}

/** Asks both about each caller, until they agree: what kumactl applied arrives in Kuma's zone by and by. */
async function decideAlike(world: World): Promise<void> {
  await until(
    'Kuma and Meridian decide alike',
    async () => {
      const rules = await ask(world, 'kuma-east', '/meshes/default/dataplanes/orders-1/_rules');
      const theirs = IDS.map((id) => `${id} ${decideAsKuma(rules, `spiffe://default.east.mesh.local/ns/${id}`)}`);
      const ours: string[] = [];
      for (const id of IDS) {
        const { code } = await world.ctl('east', ['can', '--from', `spiffe://default.east.mesh.local/ns/${id}`, '--to', 'orders-1:8080']);
        ours.push(`${id} ${code === 0}`);
      }
      const both = new Set(theirs.map((line) => line.split(' ')[1]));
      if (both.size < 2) throw new Error(`Kuma decides the same about everybody: ${theirs.join()}`);
      return theirs.join() === ours.join() || Promise.reject(new Error(`Kuma: ${theirs.join()}; Meridian: ${ours.join()}`));
    },
    world.patience,
  );
}

interface Matcher {
  readonly spiffeID: { readonly type: 'Exact' | 'Prefix'; readonly value: string };
}

interface KumaRules {
  readonly rules: readonly {
    readonly type: string;
    readonly inboundRules: readonly {
      readonly rules: readonly { readonly conf: readonly Record<'allow' | 'deny', Matcher[] | undefined>[] }[];
    }[];
  }[];
}

/** In: the rules that Kuma worked out for a proxy. Out: whether they let a caller in, by Kuma's own documentation. */
function decideAsKuma({ rules }: KumaRules, id: string): boolean {
  const confs = rules
    .filter(({ type }) => type === 'MeshTrafficPermission')
    .flatMap(({ inboundRules }) => inboundRules.flatMap((inbound) => inbound.rules.flatMap(({ conf }) => conf)));
  const isIn = (list: 'allow' | 'deny'): boolean =>
    confs.some((conf) => conf[list]?.some(({ spiffeID: { type, value } }) => id === value || (type === 'Prefix' && id.startsWith(value))));
  return !isIn('deny') && isIn('allow');
}

const policy = (file: string): string => readFileSync(join(COMPOSE, 'policies', file), 'utf8');
const urlOf = (kuma: Kuma): string => `http://127.0.0.1:${KUMAS[kuma]}`;

/** Runs the real kumactl beside a kuma-cp. Out: its standard output. */
async function kumactl(world: World, kuma: Kuma, line: string, input?: string): Promise<string> {
  const { code, out, err } = await world.exec(kuma, ['kumactl', '--config-file', '/kuma/kumactl', ...line.split(' ')], input);
  if (code !== 0) throw new Error(`${kuma}: kumactl ${line} ended with ${code}: ${err}${out}`);
  return out;
}

async function ask(world: World, kuma: Kuma, path: string): Promise<KumaRules> {
  const script = `fetch('${urlOf(kuma)}${path}').then((answer) => answer.text()).then(console.log)`;
  const { out, err } = await world.exec(kuma, ['node', '-e', script]);
  if (err !== '') throw new Error(`${kuma}: ${path}: ${err}`);
  return JSON.parse(out) as KumaRules;
}

export const breaks: Breaks = {
  'nothing comes over': { spoil: leaveOut(/^ctl global import .*--partial/), noticed: 'east has the permissions' },
};
