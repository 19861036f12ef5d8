import type { AccessDecision } from '../../src/policy/access/decide-access.ts';

/** What all engines must agree on: who decided, and what. */
export type Verdict = 'privileged deny' | 'privileged allow' | 'deny' | 'allow' | 'default deny';

export function verdictOf({ allowed, privileged, default: byDefault }: AccessDecision): Verdict {
  if (byDefault) return 'default deny';
  return `${privileged ? 'privileged ' : ''}${allowed ? 'allow' : 'deny'}`;
}
