import type { Position } from '../resource/store/store.ts';
import type { Speaker } from './protocol.ts';

/**
 * The session's surroundings at the moment of an event. Its caller reads them from the store and the machine, when they
 * are asked for: most events need few of them, and there may be a thousand sessions.
 */
export interface Context {
  readonly self: Speaker;
  /** The own feed for this peer. */
  readonly head: Position;
  /** How far the peer's feed is here. */
  readonly position: Position | undefined;
  /** The digest of the peer's refusals that are already recorded here. */
  readonly recordedRefusals: string;
  /** The store id that this side has pinned for the peer; undefined before the first contact. */
  readonly pin: string | undefined;
  /** The peer may exchange nothing (a disabled zone). */
  readonly disabled: boolean;
  /** The own store was found restored: it sends nothing. */
  readonly diverged: boolean;
  readonly pushes: boolean;
  readonly maxTransfer: number;
  readonly mostBytes: number;
  readonly now: number;
  readonly random: number;
  /** Fresh for each event, hex. */
  readonly id: string;
}
