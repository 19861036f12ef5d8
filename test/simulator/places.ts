import type { Place } from '../../src/resource/resource.ts';
import type { Random } from './random.ts';

/** Names and system namespaces that run into each other where somebody joins them without a separator. */
const PLACES: readonly Place[] = [
  { zone: 'east', environment: 'kubernetes', systemNamespace: 'kuma-system' },
  { zone: 'east1', environment: 'kubernetes', systemNamespace: 'mesh-system' },
  { zone: 'plain', environment: 'universal', systemNamespace: '' },
  { zone: 'west', environment: 'kubernetes', systemNamespace: 'kuma-system' },
  { zone: 'plain1', environment: 'universal', systemNamespace: '' },
];

const NUMBERS = [1, 2, 2, 2, 3, 3, 3, 4, 5];

/** One to five zones. */
export function choosePlaces(random: Random): readonly Place[] {
  const places = [...PLACES];
  return Array.from({ length: random.pick(NUMBERS) }, () => {
    const [chosen] = places.splice(random.below(places.length), 1);
    if (!chosen) throw new Error('no place is left');
    return chosen;
  });
}
