/**
 * In their order, but the Meshes before all others: what is in a mesh depends on it. `typeOf` tells the kind of one.
 */
export function meshesFirst<T>(items: readonly T[], typeOf: (item: T) => string): T[] {
  return [...items].sort((a, b) => Number(typeOf(b) === 'Mesh') - Number(typeOf(a) === 'Mesh'));
}
