import { answerAccess } from '../../src/control/access/answer-access.ts';
import type { AccessPolicy } from '../../src/policy/access/access-policies.ts';
import type { Site } from '../../src/policy/access/read-resources.ts';
import { newGlobal } from '../../test/harness/control-planes.ts';
import { resource } from '../../test/harness/policies.ts';
import { report } from '../report.ts';
import { makeRequests, makeSites } from './made-policies.ts';

const BINDINGS = 100;
const QUESTIONS = 1_000;

/** What `POST /access` asks for a service that is in a hundred zones: a decision for each of its bindings. */
export function measureBindings(policies: readonly AccessPolicy[]): void {
  const zones = Array.from({ length: BINDINGS }, (_, index) => `zone-${index}`);
  const services = zones.map((zone) => resource('MeshService', 'svc-7', { ports: [{ port: 80 }] }, `${zone}/ns-3`));
  const sites = new Map(
    makeSites(BINDINGS, 3).map((attributes, index): [string, Site] => [`zone-${index}`, { attributes, disabled: false }]),
  );
  const view = { policies: () => policies, balancing: () => [], sites };
  const ground = { plane: newGlobal(), view, services, hasGlobal: false };
  const callers = makeRequests(QUESTIONS, 4).map(({ source }) => source);
  let decided = 0;
  const began = process.cpuUsage();
  for (const attributes of callers) {
    const answer = answerAccess(ground, { mesh: 'default', from: { attributes, zone: 'east' }, to: { name: 'svc-7', namespace: 'ns-3' } });
    decided += answer.decided.length;
  }
  const { user, system } = process.cpuUsage(began);
  if (decided !== QUESTIONS * BINDINGS) throw new Error(`only ${decided} were decided`);
  report(
    `a caller and a service with ${BINDINGS} bindings, ${policies.length} policies: a question, a decision`,
    `${((user + system) / 1_000 / QUESTIONS).toFixed(2)} ms, ${((user + system) / decided).toFixed(1)} µs of CPU time`,
  );
}
