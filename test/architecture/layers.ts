import { posix } from 'node:path';
import { at, importsOf, isExempt, type Rule } from './source.ts';

const CORE = ['errors', 'resource', 'naming', 'policy', 'kds'];

/**
 * What each part may import, besides itself. `errors <- resource <- naming <- policy <- kds <- control`; the adapters import those and
 * never one another; only cmd, which nobody imports, sees everything. A part that is not here has no place yet: give it one.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  resource: ['errors'],
  naming: ['errors', 'resource'],
  policy: ['errors', 'resource', 'naming'],
  kds: ['errors', 'resource', 'naming', 'policy'],
  control: CORE,
  store: CORE,
  nats: CORE,
  xds: CORE,
  api: [...CORE, 'control'],
  dashboard: [],
  config: ['errors'],
  runtime: ['errors', 'config'],
};

/** The part that a path belongs to: `src/kds/a.ts` is kds, `src/errors.ts` errors, `cmd/ctl/a.ts` cmd; anything else is undefined. */
export function partOf(path: string): string | undefined {
  const [top, second] = path.split('/');
  if (top === 'cmd') return 'cmd';
  return top === 'src' && second ? second.replace(/\.ts$/, '') : undefined;
}

/** Imports between the parts go one way. */
export const importsGoOneWay: Rule = (source) => {
  const part = partOf(source.path);
  if (isExempt(source) || part === undefined || part === 'cmd') return [];
  const allowed = MAY_IMPORT[part];
  if (!allowed)
    return [`${source.path}:1: ${part} is not a part of the architecture: say in test/architecture/layers.ts what it may import`];
  return importsOf(source)
    .filter(({ text }) => text.startsWith('.'))
    .flatMap((module) => {
      const other = partOf(posix.join(posix.dirname(source.path), module.text));
      if (other === part || (other !== undefined && allowed.includes(other))) return [];
      return [at(source, module, `${part} must not import ${module.text}; it may import ${allowed.join(', ') || 'nothing of ours'}`)];
    });
};
