/** The way to a peer, as far as the transport knows it. */
export interface PeerPath {
  /** One text may have so many bytes. Servers further on may carry less. */
  readonly mostBytes: number;
  /** Why nothing goes that way at all, although there is a connection. */
  readonly refused?: string | undefined;
}

/**
 * How messages travel. Core NATS in production, a lossy network in the simulator: it may lose, repeat, reorder and
 * delay, and need not say so. Who sent a message is what the transport proves (the NATS subject, which the zone's
 * credential allows it), never what the message says.
 */
export interface Transport {
  /** What there is to know of the way to a peer, now. */
  way(peer: string): PeerPath;
  /**
   * Sends to a zone (on global), to global (on a zone: GLOBAL_PEER), or to the other processes of global (on global:
   * GLOBAL_PEER).
   */
  send(peer: string, text: string): void;
  /** Called with everything that comes. One handler. */
  onMessage(handler: (peer: string, text: string) => void): void;
  /** Called when the connection is there (again) or gone. One handler. */
  onConnection(handler: (connected: boolean) => void): void;
}
