import { setFlagsFromString } from 'node:v8';

/** The latest V8 on which the flags were tried: that of Node 26. */
const TRIED = 14;

/**
 * Imported first: what a daemon tells V8. All three are measured in docs/decisions/0016-memory-of-a-daemon.md.
 *
 * - The part of the heap for what is new stays as small as it starts. V8 doubles it when much is made at once, up to 48
 *   MB that stay, and what it spares is not seen: 20,000 policies in one apply take global the same CPU time and 60 MB
 *   less.
 * - One thread collects that part: it is one megabyte, and to wake others for it costs more than it spares.
 * - The rest grows in smaller steps before it is collected, and pages that are a fifth empty are given back: what a
 *   large write left behind does not stay.
 */
const FLAGS = ['--semi-space-growth-factor=1', '--no-parallel-scavenge', '--optimize-for-size'];

// They are V8's own, not Node's: one that doesn't know a flag writes to standard error, so a later one is not asked
// before test/programs.spec.ts, which fails there, was looked at.
if (Number.parseInt(process.versions.v8, 10) <= TRIED) for (const flag of FLAGS) setFlagsFromString(flag);
