import { signer } from '../../src/kds/cursor.ts';
import { decodeMessage, MAX_MESSAGE_BYTES, type Message } from '../../src/kds/protocol.ts';
import type { Plane } from '../../src/control/plane/plane.ts';
import { watchCommits } from '../../src/control/plane/watch-commits.ts';
import { Sync } from '../../src/control/sync/sync.ts';

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
        { life: sign.life },
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
    for (let task = this.tasks.shift(); task; task = this.tasks.shift()) task();
  }

  kinds(): string[] {
    return this.sent.map(({ message: { body } }) => body.kind);
  }
}
