import { MAX_TRANSFER_BYTES } from '../../kds/protocol.ts';
import type { Context } from '../../kds/session-context.ts';
import type { DisabledZones } from '../peers/disabled-zones.ts';
import { diverged } from '../peers/divergence.ts';
import { readPeer } from '../peers/known-peers.ts';
import { reportedDigest } from '../peers/reported-refusals.ts';
import { isGlobal } from '../plane/plane.ts';
import type { Outbox } from './outbox.ts';
import type { Performer } from './perform-effects.ts';
import type { SyncOptions } from './sync-options.ts';

/** Where a session's surroundings are read from. */
export interface SessionSurroundings extends Pick<SyncOptions, 'plane' | 'machine' | 'transport'> {
  readonly outbox: Outbox;
  readonly disabled: DisabledZones;
  readonly performer: Performer;
}

/** The surroundings of a peer's session, read when they are asked for: an idle one asks for hardly anything. */
export function contextOf({ plane, machine, transport, outbox, disabled, performer }: SessionSurroundings, peer: string): Context {
  const { store, place } = plane;
  let id: string | undefined;
  return {
    get self() {
      return outbox.speaker();
    },
    get head() {
      return outbox.headFor(peer);
    },
    get position() {
      return store.mirror.position(peer);
    },
    get recordedRefusals() {
      return reportedDigest(store, peer);
    },
    get pin() {
      return readPeer(store, peer)?.store || undefined;
    },
    get disabled() {
      return disabled.is(peer);
    },
    get diverged() {
      return diverged(store) !== undefined || performer.isRestored();
    },
    pushes: isGlobal(place),
    maxTransfer: isGlobal(place) ? MAX_TRANSFER_BYTES : Number.POSITIVE_INFINITY,
    mostBytes: transport.way(peer).mostBytes,
    now: machine.now(),
    get random() {
      return machine.random();
    },
    get id() {
      return (id ??= machine.id());
    },
  };
}
