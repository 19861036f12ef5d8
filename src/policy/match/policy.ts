import type { Audience } from '../../resource/audience.ts';
import type { Resource } from '../../resource/resource.ts';
import type { TargetRef, TopKind } from '../../resource/schema/reference-kinds.ts';
import type { Role } from '../policy-role.ts';

/** A targetRef policy, read once for all proxies. */
export interface Policy {
  readonly resource: Resource;
  readonly role: Role;
  /** As written, which is what gives it its rank; an absent one is Mesh. undefined: it can't be read. */
  readonly targetRef: TargetRef<TopKind> | undefined;
  /** That of the explicit form, which is what is matched. undefined: it can't be read. */
  readonly explicit: TargetRef<TopKind> | undefined;
  /** `kuma.io/effect: shadow`: matched and shown, never enforced. */
  readonly shadow: boolean;
  /** The zones that it holds in, beside its own. */
  readonly audience: Audience;
}
