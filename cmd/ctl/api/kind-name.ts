import { InvalidArgumentError } from 'commander';
import { type Kind, KINDS } from '../../../src/resource/kinds.ts';
import { nearest } from '../../../src/resource/documents/nearest-word.ts';

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
  throw new InvalidArgumentError(near === undefined ? 'There is no such kind.' : `Did you mean ${near}?`);
}
