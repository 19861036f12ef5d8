import type { KeyFields } from '../api.ts';

/** What one side did not take of the other. */
export interface RefusedItem extends KeyFields {
  readonly reason: string;
  readonly since: string;
}

/** Another control plane, as `GET /_sync` describes it. */
export interface SyncPeer {
  readonly peer: string;
  readonly online: boolean;
  readonly upToDate: boolean;
  readonly stopped: { readonly message: string } | null;
  readonly unsent: string | null;
  readonly about?: { readonly environment: string; readonly version: string };
  /** How many changes it has not confirmed. */
  readonly late: number;
  /** What it refused. */
  readonly reported: { readonly total: number; readonly first: readonly RefusedItem[] };
  /** What was refused of it here. */
  readonly refused: readonly RefusedItem[];
}
