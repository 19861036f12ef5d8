import type { WatchedPlane } from '../control/plane/watch-commits.ts';
import type { ProxyStatus } from '../control/enforce/proxy-status.ts';
import type { VerdictCounts } from '../control/access/verdict-counts.ts';
import type { AccessView } from '../control/access/access-view.ts';
import type { CallConnector } from '../control/access/connect-caller.ts';
import type { ZoneExchange } from '../control/access/zone-exchange.ts';
import type { Plane } from '../control/plane/plane.ts';
import type { WriteQueue } from '../control/plane/write-queue.ts';
import type { Report } from '../report.ts';
import type { Sync } from '../control/sync/sync.ts';
import type { CertificateFiles } from './http/watch-certificate.ts';

/** A proxy's proof, and the node id that it goes with. */
interface ProxyToken {
  readonly token: string;
  readonly nodeId: string;
  readonly expires: string;
}

/** Who reaches the API, and how. */
export interface Access {
  /** What clients may call it, besides `address`, localhost and IP addresses. */
  readonly hostNames: readonly string[];
  /** Whether who asks from this machine without a token is an admin. */
  readonly loopbackAdmin: boolean;
  /** HTTPS alone, with these files; undefined: HTTP. */
  readonly tls: CertificateFiles | undefined;
  /** Where the first admin's token is put if nobody is an admin without one. */
  readonly firstTokenFile: string;
}

/** The proofs of a zone's proxies. */
export interface ProxyTokens {
  /** Makes one, valid for some seconds; `name` as in the REST API. `expires` is RFC 3339. */
  issue(proxy: { mesh: string; name: string }, validFor: number): ProxyToken;
  /** Revokes all tokens that were made before, and ends the streams that were opened with one. */
  revokeAll(): void;
}

/** How a zone lets its callers in to services of others, and theirs to its own. */
export interface ZoneAccess {
  readonly views: (mesh: string) => AccessView;
  readonly connector: Pick<CallConnector, 'connect'>;
  readonly exchange: Pick<ZoneExchange, 'away' | 'consume'>;
}

/** The files of the web page by name. */
export type PageFiles = ReadonlyMap<string, Buffer>;

/** What the REST API of one control plane is made of. */
export interface ApiOptions {
  readonly plane: Plane;
  /** What requests write goes through it. */
  readonly writes: Pick<WriteQueue, 'write'>;
  /** undefined: a zone that stands alone. */
  readonly sync: Pick<Sync, 'view' | 'peers' | 'ended'> | undefined;
  /** Tells of all commits of the plane, those of the sync too. */
  readonly onCommit: WatchedPlane['onCommit'];
  /** Of zones alone. */
  readonly proxyTokens?: ProxyTokens | undefined;
  /** How the proxies of this zone stand. Of zones alone. */
  readonly proxies?: (() => readonly ProxyStatus[]) | undefined;
  /** Of zones alone. */
  readonly zoneAccess?: ZoneAccess | undefined;
  /** Counts what is decided about access; undefined: nobody asks for it. */
  readonly verdicts?: VerdictCounts | undefined;
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
  readonly info: { readonly version: string; readonly instance: string; readonly clusterId: string };
  readonly report: Report;
  /** The web page; undefined: there is none. */
  readonly page?: PageFiles | undefined;
  /** undefined: plain HTTP, and loopback counts as admin. */
  readonly access?: Access | undefined;
  /** Milliseconds since 1970, for tokens; undefined: the clock's. */
  readonly now?: (() => number) | undefined;
  /** Milliseconds, monotonic, for what callers have in a while; undefined: the process'. */
  readonly monotonic?: (() => number) | undefined;
}
