/** What an operator should hear of. Secrets are never in the details. */
export type Report = (level: 'info' | 'warn' | 'error', event: string, details: Readonly<Record<string, unknown>>) => void;
