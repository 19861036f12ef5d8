/** What one zone says to another: it asks, or it answers. */
export const LANES = ['ask', 'answer'] as const;

export type Lane = (typeof LANES)[number];

/**
 * How zones reach each other, past global (docs/design/attributes.md#both-sides). What is said may be lost, repeated or
 * late. Who said it is what the transport proves (the NATS subject, on which the zone's credential alone lets anybody
 * publish), never what the text says.
 */
export interface ZoneLanes {
  /** Why nothing gets to a zone now; undefined: it may. */
  unreachable(zone: string): string | undefined;
  say(lane: Lane, zone: string, text: string): void;
  /** Called with everything that comes; the text is made when it is asked for. One handler. */
  onSaid(handler: (lane: Lane, zone: string, text: () => string) => void): void;
}
