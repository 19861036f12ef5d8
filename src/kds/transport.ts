/**
 * How messages travel. Core NATS in production, a lossy network in the simulator: it may lose, repeat, reorder and
 * delay, and need not say so. Who sent a message is what the transport proves (the NATS subject, which the zone's
 * credential allows it), never what the message says.
 */
export interface Transport {
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
