import { InvalidArgumentError } from 'commander';
import { type Kind, KINDS } from '../../../src/resource/kinds.ts';
import { distance, nearest } from '../../../src/resource/documents/nearest-word.ts';

/**
 * The kind that a user means: by type, REST path or short name, in any case. `MeshTimeout`, `meshtimeouts`, `mt`. Else
 * wrong usage.
 */
export function parseKindName(text: string): Kind {
  const typed = text.toLowerCase();
  const found = KINDS.find(({ type, path, short }) => [type.toLowerCase(), path, short].includes(typed));
  if (found && typed !== '') return found;
  const near = nearest(
    text,
    KINDS.flatMap(({ type, path }) => [type, path]),
  );
  // Two mistakes in three letters may be any other short name: one is what is near there.
  const shorts = KINDS.map(({ short }) => short).filter((short) => short !== '' && typed.length > 1 && distance(typed, short) === 1);
  const meant = near === undefined ? shorts : [near];
  throw new InvalidArgumentError(
    meant.length === 0 ? '`meridianctl api-resources` lists the kinds.' : `Did you mean ${meant.join(' or ')}?`,
  );
}
