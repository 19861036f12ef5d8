/**
 * Work that is done step by step: whoever runs it decides when the next one comes, and whether there is one
 * (src/control/impact/in-turns.ts). Its own clock is none.
 */
export type Steps<T = void> = Generator<void, T, void>;
