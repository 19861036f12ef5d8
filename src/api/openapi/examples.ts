import recorded from './examples.json' with { type: 'json' };

/** A request that was made, and what a control plane answered. */
export interface OperationExample {
  readonly body?: unknown;
  readonly status: number;
  readonly answer?: unknown;
}

/**
 * By the operation's id. Nobody writes them by hand: test/api/examples.spec.ts makes the requests, and fails where the
 * answers are others.
 */
export const EXAMPLES: Readonly<Record<string, OperationExample>> = recorded;
