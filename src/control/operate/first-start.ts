import { invalid } from '../../errors.ts';
import { attributeProblems } from '../../policy/access/key-problems.ts';
import type { Labels } from '../../resource/labels.ts';
import type { Draft, Place } from '../../resource/resource.ts';
import { isGlobal, type Plane } from '../plane/plane.ts';
import { admitDocuments } from '../write/write-documents.ts';

const PLACE = 'place';

/**
 * Fixes at the first start where this control plane stands, for good (docs/design/resources.md#place): keys, names and
 * labels are made of it. Global makes the mesh `default` then, once. Throws `invalid`, naming the setting, for a store
 * that stands elsewhere.
 */
export function fixPlace(plane: Plane): void {
  const fixed = plane.store.setting(PLACE);
  if (fixed !== undefined) return refuseMove(JSON.parse(fixed) as Place, plane.place);
  const writeMesh = isGlobal(plane.place) ? admitDocuments(plane, [{ draft: DEFAULT_MESH, problems: [] }]) : undefined;
  plane.store.commit((tx) => {
    writeMesh?.(tx);
    tx.setSetting(PLACE, JSON.stringify(plane.place));
  });
}

/**
 * Refuses what a zone's configuration says of its site, where it can't be so. In: from docs/configuration.md. Throws
 * `invalid`, naming the setting.
 */
export function requireSite(attributes: Labels): void {
  const problems = attributeProblems('Zone', { attributes });
  const named = problems.map(({ field, reason }) => ({ field: 'siteAttributes (MERIDIAN_SITE_ATTRIBUTES)', reason: `${field} ${reason}` }));
  if (named.length > 0) throw invalid(named, 'Say of the site what only its operator can: location=aws/us-east, environment=production.');
}

const DEFAULT_MESH: Draft = { type: 'Mesh', mesh: '', name: 'default', namespace: undefined, labels: {}, spec: {} };

const SETTINGS = [
  ['zone', 'zoneName (MERIDIAN_ZONE_NAME)'],
  ['environment', 'environment (MERIDIAN_ENVIRONMENT)'],
  ['systemNamespace', 'systemNamespace (MERIDIAN_SYSTEM_NAMESPACE)'],
] as const;

function refuseMove(fixed: Place, asked: Place): void {
  if (isGlobal(fixed) !== isGlobal(asked)) {
    const reason = `holds the store of ${isGlobal(fixed) ? 'a global' : `zone ${fixed.zone}`}`;
    throw invalid([{ field: 'dataDir (MERIDIAN_DATA_DIR)', reason }], 'Give each control plane a data directory of its own.');
  }
  const problems = SETTINGS.filter(([part]) => fixed[part] !== asked[part]).map(([part, field]) => ({
    field,
    reason: `is '${asked[part]}', but this store was made for '${fixed[part]}': it is fixed at the first start`,
  }));
  if (problems.length > 0) throw invalid(problems, 'Set it back, or give the new one a data directory of its own (MERIDIAN_DATA_DIR).');
}
