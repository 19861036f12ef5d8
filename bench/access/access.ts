import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { getCedarSDKVersion } from '@cedar-policy/cedar-wasm/nodejs';
import type { Scope } from '../../test/harness/scope.ts';
import { type AccessPolicy, readAccessPolicies } from '../../src/policy/access/access-policies.ts';
import { decideAccess } from '../../src/policy/access/decide-access.ts';
import { residentMb } from '../process.ts';
import { report } from '../report.ts';
import { measureBindings } from './bindings.ts';
import { prepareCedar } from './cedar.ts';
import { makePolicies, makeRequests, type MadeRequest } from './made-policies.ts';
import { NO_GO, OPA_VERSION, prepareOpa } from './opa.ts';
import { regoModule } from './rego.ts';
import { type AccessVerdict, verdictOf } from './verdict.ts';

const POLICIES = 1_000;
const REQUESTS = 100_000;

/** An engine in this process, and how many of the requests it is asked. */
interface Engine {
  readonly name: string;
  readonly requests: number;
  readonly ask: (request: MadeRequest) => AccessVerdict;
}

/**
 * Access decisions beside those of Cedar and OPA, by the same policies on the same requests. What is counted is CPU
 * time, for others may use the machine; the engines take turns, so that whatever else runs slows them all alike. All
 * answers are compared.
 */
export async function measureAccess(scope: Scope): Promise<void> {
  const policies = readAccessPolicies(makePolicies(POLICIES, 1), { mesh: 'default', zone: 'east' });
  const requests = makeRequests(REQUESTS, 2);
  const expected = requests.map(decide(policies.slice()));
  const shares = [...new Set(expected)].map((verdict) => `${verdict} ${expected.filter((one) => one === verdict).length}`);
  report(`${POLICIES} policies, ${REQUESTS} requests: what is decided`, shares.sort().join(', '));
  const before = residentMb(process.pid);
  const cedar = prepareCedar(policies);
  report('Cedar: memory more, resident', `${(residentMb(process.pid) - before).toFixed(0)} MB`);
  report('Meridian: memory more, of the index after all requests', `${(indexBytes(policies, requests) / 1e6).toFixed(1)} MB`);
  const engines: Engine[] = [
    { name: 'Meridian', requests: REQUESTS, ask: decide(policies) },
    { name: `Cedar ${getCedarSDKVersion()} (WebAssembly)`, requests: 4_000, ask: cedar },
  ];
  const opa = NO_GO === false ? await prepareOpa(regoModule(policies), scope.folder()) : undefined;
  if (opa) engines.push({ name: `OPA ${OPA_VERSION} (WebAssembly)`, requests: 20_000, ask: opa.wasm });
  else report('OPA', String(NO_GO));
  measureInTurns(engines, requests, expected);
  if (opa) {
    const { answers, coldMs, warmMs, megabytes } = opa.go(
      requests.slice(0, 20_000).map(({ from, to, namespace }) => ({ from, to, namespace })),
    );
    tell(`OPA ${OPA_VERSION} (Go)`, [coldMs, warmMs], answers, expected);
    report('OPA: memory as WebAssembly, and of the whole Go program', `${(opa.wasmBytes() / 1e6).toFixed(1)} MB, ${megabytes} MB`);
  }
  measureBindings(policies);
}

function decide(policies: readonly AccessPolicy[]): (request: MadeRequest) => AccessVerdict {
  return (request) => verdictOf(decideAccess(policies, request));
}

/** What deciding keeps of a list of policies: of one more such list. */
function indexBytes(policies: readonly AccessPolicy[], requests: readonly MadeRequest[]): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const [list, verdicts] = [policies.slice(), new Set<AccessVerdict>()];
  collect();
  const before = process.memoryUsage().heapUsed;
  const ask = decide(list);
  for (const request of requests) verdicts.add(ask(request));
  collect();
  const grown = process.memoryUsage().heapUsed - before;
  return list.length > 0 && verdicts.size > 0 ? grown : 0;
}

const ROUNDS = 20;

/** Each engine twice through its requests: cold, and when its code is compiled and its memory is filled. */
function measureInTurns(engines: readonly Engine[], requests: readonly MadeRequest[], expected: readonly AccessVerdict[]): void {
  const runs = engines.map((engine) => ({ ...engine, ms: [0, 0], answers: [] as AccessVerdict[] }));
  for (const time of [0, 1]) {
    for (const run of runs) run.answers.length = 0;
    for (let round = 0; round < ROUNDS; round++) {
      for (const run of runs) {
        const size = run.requests / ROUNDS;
        const asked = requests.slice(round * size, (round + 1) * size);
        const began = process.cpuUsage();
        const answers = asked.map(run.ask);
        const { user, system } = process.cpuUsage(began);
        run.ms[time] = (run.ms[time] ?? 0) + (user + system) / 1_000;
        run.answers.push(...answers);
      }
    }
  }
  for (const { name, ms, answers } of runs) tell(name, ms, answers, expected);
}

let ours: readonly number[] = [];

/** The first one told is ours, with which the others are compared. */
function tell(name: string, ms: readonly number[], answers: readonly AccessVerdict[], expected: readonly AccessVerdict[]): void {
  const rates = ms.map((one) => (answers.length / one) * 1_000);
  const times = rates.map((rate, time) => `${((ours[time] ?? 0) / rate).toFixed(0)} times`).join(' and ');
  const differing = answers.filter((answer, index) => answer !== expected[index]).length;
  const shown = rates.map((rate) => Math.round(rate).toLocaleString('en')).join(' cold, ');
  report(
    `${name}: decisions for each second of CPU time`,
    `${shown} warm${ours.length > 0 ? `: Meridian ${times} as many` : ''}; ${answers.length.toLocaleString('en')} asked, ${differing} differ`,
  );
  if (ours.length === 0) ours = rates;
  if (differing > 0) throw new Error(`${name} decides ${differing} requests in another way`);
}
