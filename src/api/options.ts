import type { Plane } from '../control/plane.js';
import type { Report, Sync } from '../control/sync.js';

/** What the REST API of one control plane is made of. */
export interface ApiOptions {
  readonly plane: Plane;
  /** undefined: a zone that stands alone. */
  readonly sync: Pick<Sync, 'view' | 'peers' | 'ended'> | undefined;
  /** Called after each successful write: the peers are told. */
  readonly afterCommit: () => void;
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
  readonly info: { readonly version: string; readonly instance: string; readonly clusterId: string };
  readonly report: Report;
}
