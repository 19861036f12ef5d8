/** Tells the operator of something, by a line of the log. The details never hold secrets. */
export type Report = (level: 'info' | 'warn' | 'error', event: string, details: Readonly<Record<string, unknown>>) => void;
