import { MeridianError } from '../../src/errors.ts';
import { signer } from '../../src/kds/cursor.ts';
import { decodeMessage, encodeMessage, MAX_MESSAGE_BYTES, type Message } from '../../src/kds/protocol.ts';
import type { Plane } from '../../src/control/plane/plane.ts';
import { watchCommits } from '../../src/control/plane/watch-commits.ts';
import { Sync } from '../../src/control/sync/sync.ts';
import { GLOBAL_PEER } from '../../src/resource/audience.ts';
import type { Place } from '../../src/resource/resource.ts';
import { EAST, newGlobal, newPlane } from './control-planes.ts';

const ABOUT = { environment: 'kubernetes' as const, systemNamespace: 'kuma-system', version: '1' };

/** A sync whose messages are kept, and whose tasks run when told. */
export class WiredSync {
  readonly plane: Plane;

  readonly sent: { to: string; message: Message }[] = [];
  readonly reports: string[] = [];
  readonly sync: Sync;
  now = 0;
  ids = 0;
  /** How often a cursor was signed. */
  signed = 0;
  private readonly tasks: (() => void)[] = [];

  constructor(plane: Plane, incarnation = 1) {
    const watched = watchCommits(plane, (task) => void this.tasks.push(task));
    this.plane = watched.plane;
    const { store, term } = plane.store.head();
    const sign = signer(store);
    watched.onCommit(() => this.sync.committed());
    this.sync = new Sync({
      plane: watched.plane,
      self: { store, term, incarnation, instance: `${store}${incarnation}` },
      sign: Object.assign(
        (text: string) => {
          this.signed += 1;
          return sign(text);
        },
        { epoch: sign.epoch },
      ),
      about: plane.place.zone === '' ? undefined : ABOUT,
      transport: {
        way: () => ({ mostBytes: MAX_MESSAGE_BYTES }),
        send: (to, text) => void this.sent.push({ to, message: decodeMessage(text) }),
        onMessage: () => {},
        onConnection: () => {},
      },
      machine: { now: () => this.now, random: () => 1, id: () => (++this.ids).toString(16), soon: (task) => void this.tasks.push(task) },
      report: (level, event) => void this.reports.push(`${level}: ${event}`),
    });
    this.sync.connection(true);
  }

  hear(peer: string, text: string): void {
    this.sync.message(peer, text);
    this.run();
  }

  /** What is to be done soon. */
  run(): void {
    while (this.runOne());
  }

  /** The first of that, if there is one. */
  runOne(): boolean {
    const task = this.tasks.shift();
    task?.();
    return task !== undefined;
  }

  kinds(): string[] {
    return this.sent.map(({ message: { body } }) => body.kind);
  }
}

/** Carries messages between the two until both are silent. */
export function exchange(global: WiredSync, zone: WiredSync): void {
  const isBusy = (): boolean => {
    for (const one of [global, zone]) one.run();
    return global.sent.length + zone.sent.length > 0;
  };
  while (isBusy()) {
    for (const { to, message } of global.sent.splice(0)) if (to === zone.plane.place.zone) zone.hear(GLOBAL_PEER, encodeMessage(message));
    for (const { message } of zone.sent.splice(0)) global.hear(zone.plane.place.zone, encodeMessage(message));
  }
}

export function pair(place: Place = EAST): { global: WiredSync; zone: WiredSync } {
  const [global, zone] = [new WiredSync(newGlobal()), new WiredSync(newPlane(place))];
  exchange(global, zone);
  return { global, zone };
}

/** A second process on the store, whose commits fail while the disk is full. */
export function onDisk(plane: Plane, disk: { full: boolean }): WiredSync {
  const { store } = plane;
  const commit: typeof store.commit = (body) => {
    if (disk.full) throw new MeridianError('unavailable', 'the disk is full');
    return store.commit(body);
  };
  return new WiredSync({ ...plane, store: { ...store, commit } }, 2);
}
