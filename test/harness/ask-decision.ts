import type { Resource } from '../../src/resource/resource.ts';
import { dataplane } from './policies.ts';
import { indexMesh } from '../../src/policy/match/mesh-index.ts';
import { type Decision, decide } from '../../src/policy/decide/decide-request.ts';
import type { Request } from '../../src/policy/decide/read-request.ts';

/** What the specs of decisions share: a backend in zone east that is asked. */
export const TD = 'spiffe://default';
export const WEB = `${TD}/web`;

export interface DecisionSetting {
  readonly protocol?: string;
  readonly others?: readonly Resource[];
  readonly tags?: Record<string, string>;
}

export function ask(
  policies: readonly Resource[],
  request: Request,
  { protocol = 'http', others = [], tags = {} }: DecisionSetting = {},
): Decision {
  const target = dataplane({ protocol, tags: { 'kuma.io/service': 'backend', ...tags } });
  return decide({ policies, dataplane: target, request, mesh: indexMesh([...others, target]) });
}
