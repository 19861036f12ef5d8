import type { RbacForm } from './rbac-side.ts';

/**
 * The first Envoy that was seen to behave as trees need it: where an entry's own matcher finds nothing, it goes on
 * (docs/design/access.md#lists-as-trees).
 */
const TREES_SINCE = { major: 1, minor: 36 };

/** What an Envoy of this version gets; undefined: it says none. */
export function formFor(version: { readonly major: number; readonly minor: number } | undefined): RbacForm {
  if (!version) return 'list';
  const { major, minor } = TREES_SINCE;
  return version.major > major || (version.major === major && version.minor >= minor) ? 'trees' : 'list';
}
