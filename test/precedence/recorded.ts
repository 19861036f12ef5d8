import { fileURLToPath } from 'node:url';

/** Pairs of policies with what a real kuma-cp 2.14.3 made of each, one a line. */
export const RECORDED = fileURLToPath(new URL('../reference/precedence.jsonl', import.meta.url));
