import type { Changes, World } from './world.ts';

/** One thing that a scenario checks, broken on purpose: a run in which the check does not notice checks nothing. */
export interface Break {
  /** What the services have in the place of what docker-compose.yaml says. */
  readonly services?: Changes;
  /** What is done in the place of the world's own. */
  readonly spoil?: (world: World) => World;
  /** The step that must notice it, as it begins. */
  readonly noticed: string;
}

/** By what is broken. */
export type Breaks = Readonly<Record<string, Break>>;

/** A world in which what a break says goes wrong. */
export function broken(world: World, { spoil, noticed }: Break): World {
  return { ...(spoil?.(world) ?? world), fails: noticed };
}

/**
 * What is asked for and not done, and nobody says so: `leaveOut(/^cut east/)`. The text is the word, the service and, of
 * meridianctl, what it is given.
 */
export function leaveOut(pattern: RegExp): (world: World) => World {
  const isLeftOut = (...words: readonly string[]): boolean => pattern.test(words.join(' '));
  return (world) => ({
    ...world,
    start: (...names) => world.start(...names.filter((name) => !isLeftOut('start', name))),
    kill: async (service) => (isLeftOut('kill', service) ? undefined : world.kill(service)),
    cut: async (service) => (isLeftOut('cut', service) ? undefined : world.cut(service)),
    join: async (service) => (isLeftOut('join', service) ? undefined : world.join(service)),
    ctl: async (service, args, input = '') =>
      isLeftOut('ctl', service, ...args, input) ? { code: 0, out: '', err: '' } : world.ctl(service, args, input),
  });
}
