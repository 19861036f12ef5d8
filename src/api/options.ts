import type { Plane } from '../control/plane.js';
import type { Report, Sync } from '../control/sync.js';

/** A proxy's proof, and the node id that it goes with. */
export interface ProxyToken {
  readonly token: string;
  readonly nodeId: string;
  readonly expires: string;
}

/** What the REST API of one control plane is made of. */
export interface ApiOptions {
  readonly plane: Plane;
  /** undefined: a zone that stands alone. */
  readonly sync: Pick<Sync, 'view' | 'peers' | 'ended'> | undefined;
  /** Called after each successful write: the peers are told. */
  readonly afterCommit: () => void;
  /** Makes a proxy's proof of who it is, valid for some seconds; `name` as in the REST API. `expires` is RFC 3339. Of zones alone. */
  readonly issueProxyToken?: ((proxy: { mesh: string; name: string }, validFor: number) => ProxyToken) | undefined;
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
  readonly info: { readonly version: string; readonly instance: string; readonly clusterId: string };
  readonly report: Report;
}
