import { KINDS } from '../../resource/kinds.ts';
import { nearest } from '../../resource/documents/nearest-word.ts';

/** By what people call a kind in a path, the path that it has. */
const PATHS = new Map(KINDS.flatMap(({ type, short, path }) => [type.toLowerCase(), short, path].map((word) => [word, path] as const)));
const WORDS = [...PATHS.keys()].filter((word) => word !== '');
const IN_MESH = new Set(KINDS.flatMap(({ scope, path }) => (scope === 'Mesh' ? [path] : [])));

/**
 * The path that was probably meant where nothing is served, or undefined: a kind by its type, its short name or with a
 * mistake in it.
 *
 *   /meshes/default/meshtimeout/slow  ->  /meshes/default/meshtimeouts/slow
 *   /meshes/default/mtp               ->  /meshes/default/meshtrafficpermissions
 */
export function nearPath(path: string): string | undefined {
  const parts = path.split('/');
  const at = parts[1] === 'meshes' && parts.length > 3 ? 3 : 1;
  const typed = parts[at] ?? '';
  const word = PATHS.has(typed.toLowerCase()) ? typed.toLowerCase() : typed.length > 3 ? nearest(typed, WORDS) : undefined;
  const meant = word === undefined ? undefined : PATHS.get(word);
  if (meant === undefined || meant === typed || (at === 3 && !IN_MESH.has(meant))) return undefined;
  return parts.with(at, meant).join('/');
}
