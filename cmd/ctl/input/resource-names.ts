import type { Command } from 'commander';
import type { Kind } from '../../../src/resource/kinds.ts';
import { parseKindName } from '../api/kind-name.ts';
import { optionsOf } from './options.ts';

/** A resource that a user names. */
export interface NamedResource {
  readonly kind: Kind;
  /** '' for a kind that lies in no mesh. */
  readonly mesh: string;
  /** As the store that is asked calls it. */
  readonly name: string;
}

/**
 * The resources of `KIND NAME...` or `KIND/NAME...`. Anything else, and a name in all meshes, is wrong usage.
 *
 *   mt slow fast               ->  two MeshTimeouts of the mesh
 *   mt/slow MeshRetry/often    ->  one of each
 */
export function namedResources(words: readonly string[], command: Command): NamedResource[] {
  const [first = '', ...rest] = words;
  const pairs = first.includes('/') ? words.map(splitPair) : rest.map((name) => [first, name] as const);
  const { mesh } = optionsOf(command);
  return pairs.map(([type, name]) => {
    if (name === undefined || name === '') command.error(`error: ${type} has no name: say KIND NAME, or KIND/NAME`);
    const kind = kindNamed(type, command);
    if (kind.scope === 'Mesh' && mesh === '') command.error('error: a NAME is looked up in one mesh: say which with -m');
    return { kind, mesh: kind.scope === 'Global' ? '' : mesh, name };
  });
}

/** The one resource of `KIND NAME` or `KIND/NAME`. Anything else is wrong usage. */
export function namedResource(kind: string, name: string | undefined, command: Command): NamedResource {
  const [resource, ...more] = namedResources(name === undefined ? [kind] : [kind, name], command);
  if (!resource || more.length > 0) command.error('error: say KIND NAME, or KIND/NAME');
  return resource;
}

/** The kind that a word means; else wrong usage, with the word. */
export function kindNamed(word: string, command: Command): Kind {
  try {
    return parseKindName(word);
  } catch (thrown) {
    command.error(`error: '${word}' is no kind. ${thrown instanceof Error ? thrown.message : ''}`);
  }
}

function splitPair(word: string): readonly [type: string, name: string | undefined] {
  const [type = '', ...name] = word.split('/');
  return [type, name.length > 0 ? name.join('/') : undefined];
}
