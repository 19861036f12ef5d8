import type { AccessDecision } from '../../src/policy/access/decide-access.ts';

/** What all engines must agree on: who decided, and what. */
export type AccessVerdict = 'privileged deny' | 'privileged allow' | 'deny' | 'allow' | 'default deny';

export function verdictOf({ allowed, privileged, default: byDefault }: AccessDecision): AccessVerdict {
  if (byDefault) return 'default deny';
  return `${privileged ? 'privileged ' : ''}${allowed ? 'allow' : 'deny'}`;
}
