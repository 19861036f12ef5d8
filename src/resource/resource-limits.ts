import type { Problem } from '../errors.ts';
import { formatPath, isObject, type Path } from './field-path.ts';

/** The largest resource, in bytes of its JSON: what one NATS message (1 MB by default) can carry with room to spare. */
export const MAX_RESOURCE_BYTES = 512 * 1024;

/** How many objects and lists may lie within each other in a body. */
export const MAX_LEVELS = 64;

/**
 * Such a text is not Unicode: no UTF-8 can carry it, so that it would be another text elsewhere, and nothing that holds
 * it can be sent to a proxy.
 */
const NOT_WELL_FORMED = 'is not well formed: it holds half of a character (a lone surrogate)';

interface ValueNode {
  readonly value: unknown;
  readonly path: Path;
  readonly level: number;
}

/**
 * What makes a value unfit to be carried as JSON: more than 64 levels, a `__proto__` or `<<` key, a number that JSON
 * can't write, a text that is not well formed, or anything else that is not JSON. Everything that walks a body may rely
 * on it, so it is asked first and doesn't recurse itself.
 */
export function shapeProblems(value: unknown, path: Path): Problem[] {
  const problems: Problem[] = [];
  const open: ValueNode[] = [{ value, path, level: 1 }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const reason = unfit(node);
    if (reason !== undefined) problems.push({ field: formatPath(node.path), reason });
    // One by one: as arguments, some hundred thousand overflow the stack.
    else for (const child of children(node)) open.push(child);
  }
  return problems;
}

function unfit({ value, path, level }: ValueNode): string | undefined {
  const name = path[path.length - 1];
  // `__proto__` means something to JavaScript, `<<` to YAML: a body that holds one reads differently here and there.
  if (name === '__proto__' || name === '<<') return 'is not allowed as a name';
  if (typeof name === 'string' && !name.isWellFormed()) return NOT_WELL_FORMED;
  if (typeof value === 'string') return value.isWellFormed() ? undefined : NOT_WELL_FORMED;
  if (value === null || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'must be a finite number';
  if (!Array.isArray(value) && !isObject(value)) return 'is not a JSON value';
  return level > MAX_LEVELS ? `lies deeper than ${MAX_LEVELS} levels` : undefined;
}

function children({ value, path, level }: ValueNode): ValueNode[] {
  if (typeof value !== 'object' || value === null) return [];
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((item, index) => [index, item] as const)
    : Object.entries(value).filter(([, item]) => item !== undefined);
  return entries.map(([key, item]) => ({ value: item, path: [...path, key], level: level + 1 })).reverse();
}
