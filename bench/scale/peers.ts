import { addHash, EMPTY_DIGEST, formatDigest, hashItem } from '../../src/kds/digest.ts';
import { encodeItem } from '../../src/kds/item.ts';
import { Enforcement } from '../../src/control/enforce/enforcement.ts';
import { createMeshViews } from '../../src/control/mesh/mesh-view.ts';
import { MOST_REFUSED, type Plane } from '../../src/control/plane/plane.ts';
import { watchCommits } from '../../src/control/plane/watch-commits.ts';
import { applyTransfer } from '../../src/control/receive/apply-transfer.ts';
import { retryAllRefused } from '../../src/control/receive/retry-refused.ts';
import type { Draft } from '../../src/resource/resource.ts';
import { EAST, forAll, newGlobal, newZone, service } from '../../test/harness/control-planes.ts';
import { report } from '../report.ts';
import { writeDrafts } from '../../test/harness/write-drafts.ts';

const REFUSED = 100_000;
const TAILS = 40;
const SERVICES = 20_000;
const PROXIES = 50;

/** What one zone can cost a control plane, in this process: CPU time, as the machine may be busy. */
export function measurePeers(): Promise<void> {
  refused();
  tails();
  services();
  return Promise.resolve();
}

function cpuOf(what: () => void): string {
  const before = process.cpuUsage();
  what();
  const { user, system } = process.cpuUsage(before);
  return `${((user + system) / 1000).toFixed(1)} ms`;
}

function refused(): void {
  const { plane } = watchCommits({ ...newGlobal(EAST), quota: { resources: REFUSED, bytes: 128_000_000 } }, () => {});
  const bad = (count: number) =>
    Array.from({ length: count }, (_, n) =>
      encodeItem({
        key: { type: 'MeshTrafficPermission', mesh: 'default', zone: 'east', namespace: 'app', name: `bad-${n}` },
        labels: {},
        spec: { nonsense: n },
      }),
    );
  const views = createMeshViews(plane);
  const put = () => {
    writeDrafts(plane, [forAll('one', { labels: { n: String(plane.store.head().revision) } })]);
    views('default');
  };
  put();
  report('a change at global, and the view after it', cpuOf(put));
  report(
    `a transfer of ${REFUSED} items that are all refused`,
    cpuOf(() => transfer(plane, bad(REFUSED))),
  );
  transfer(plane, bad(MOST_REFUSED.items));
  views('default');
  report(`with ${plane.store.mirror.refusalSum('east').count} refused: a change, and the view after it`, cpuOf(put));
  report(
    '… what was refused is judged again at a start',
    cpuOf(() => retryAllRefused(plane)),
  );
}

/** One that is not taken is what is measured, too. */
function transfer(plane: Plane, lines: readonly string[]): void {
  const digest = formatDigest(lines.reduce((sum, line) => addHash(sum, hashItem(line)), EMPTY_DIGEST));
  const end = { store: 'ee', term: 1, revision: plane.store.head().revision, digest, count: lines.length, signature: '' };
  try {
    applyTransfer(plane, { peer: 'east', origin: EAST, mode: 'scan', lines, end });
  } catch (thrown) {
    report('… not taken', String(thrown).slice(0, 120));
  }
}

function tails(): void {
  const { store } = newGlobal(EAST);
  const times = { creationTime: '', modificationTime: '' };
  store.commit((tx) => {
    for (let n = 0; n < REFUSED; n++) {
      const key = { type: 'MeshTimeout', mesh: 'default', zone: 'west', namespace: 'app', name: `t${n}` };
      tx.put({ key, name: `t${n}`, namespace: 'app', labels: {}, spec: {}, ...times }, { to: 'only', zone: 'west' }, 'w');
    }
  });
  const pull = () => {
    for (let n = 0; n < TAILS; n++) store.feed.changes('east', 0, 0, 256 * 1024);
  };
  report(`${TAILS} pulls from revision 0 of ${REFUSED} changes for others`, cpuOf(pull));
}

function services(): void {
  const { plane } = watchCommits(newZone(EAST, newGlobal(EAST)), () => {});
  const selecting = (index: number, port: number): Draft => ({
    ...service(`s${index}`),
    labels: { app: `a${index % 500}` },
    spec: { selector: { dataplaneTags: { app: `a${index % 500}` } }, ports: [{ port, targetPort: 8080 }] },
  });
  const dataplane = (index: number): Draft => ({
    ...service(`d${index}`),
    type: 'Dataplane',
    spec: { networking: { address: '10.0.0.1', inbound: [{ port: 8080, name: 'main', tags: { app: `a${index}` } }] } },
  });
  const permission = (index: number): Draft => ({
    ...service(`p${index}`),
    type: 'MeshTrafficPermission',
    namespace: 'kuma-system',
    spec: {
      targetRef: { kind: 'MeshService', labels: { app: `a${index}` } },
      from: [{ targetRef: { kind: 'Mesh' }, default: { action: 'Allow' } }],
    },
  });
  const each = (count: number, draft: (index: number) => Draft) => Array.from({ length: count }, (_, index) => draft(index));
  writeDrafts(
    plane,
    each(SERVICES, (index) => selecting(index, 80)),
  );
  writeDrafts(plane, [...each(PROXIES, dataplane), ...each(PROXIES, permission)]);
  const enforcement = new Enforcement(plane, true);
  const rules = () => {
    const of = (name: string) => enforcement.rulesOf('default', name);
    for (let index = 0; index < PROXIES; index++) of(`d${index}.app`);
  };
  rules();
  writeDrafts(plane, [selecting(3, 81)]);
  report(`one of ${SERVICES} services changed: ${PROXIES} proxies, ${PROXIES} permissions by labels`, cpuOf(rules));
}
