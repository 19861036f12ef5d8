import { socketOf } from '../ip-address.ts';
import { isObject } from '../field-path.ts';

/** Why an inbound can't stand beside the others of its Dataplane. */
export interface Clash {
  readonly index: number;
  readonly field: 'name' | 'port';
  readonly reason: string;
}

/** As an inbound may be written; what is of another type is a problem of its own. */
interface WrittenInbound {
  readonly name: string;
  readonly port: number | undefined;
  readonly socket: string | undefined;
}

/**
 * What of `networking.inbound` would make it a matter of luck which rules hold: two inbounds on one socket, and a
 * section (an inbound's name, else its port) that means another inbound too, by its name or its port.
 *
 *   {port: 80, name: a}, {port: 81, name: a}                      ->  [1].name
 *   {port: 80, name: '81'}, {port: 81}                            ->  [0].name
 *   {port: 80, address: 10.0.0.1}, {port: 80, address: 10.0.0.2}  ->  [1].port, unless both have names
 */
export function clashesOf(address: unknown, inbounds: readonly unknown[]): Clash[] {
  const all = inbounds.map((item) => read(item, address));
  return [...socketClashes(all), ...sectionClashes(all)];
}

function read(item: unknown, ofNetworking: unknown): WrittenInbound {
  const { name, port, address = ofNetworking } = isObject(item) ? item : {};
  const number = typeof port === 'number' ? port : undefined;
  const socket = number !== undefined && typeof address === 'string' ? socketOf(address, number) : undefined;
  return { name: typeof name === 'string' ? name : '', port: number, socket };
}

/** How often each value is there, and where it is first. */
class Occurrences<T> {
  readonly #first = new Map<T, number>();
  readonly #count = new Map<T, number>();

  constructor(values: readonly T[]) {
    for (const [index, value] of values.entries()) {
      if (!this.#first.has(value)) this.#first.set(value, index);
      this.#count.set(value, this.count(value) + 1);
    }
  }

  count(value: T): number {
    return this.#count.get(value) ?? 0;
  }

  isRepeated(value: T, index: number): boolean {
    return (this.#first.get(value) ?? index) < index;
  }
}

function socketClashes(all: readonly WrittenInbound[]): Clash[] {
  const sockets = new Occurrences(all.map(({ socket }) => socket));
  return all.flatMap(({ socket }, index) => {
    const isTaken = socket !== undefined && sockets.isRepeated(socket, index);
    return isTaken ? [{ index, field: 'port', reason: 'is taken by another inbound on this address' } as const] : [];
  });
}

/** Of two inbounds with one name, or on one port without names, the second one is told. */
function sectionClashes(all: readonly WrittenInbound[]): Clash[] {
  const names = new Occurrences(all.map(({ name }) => name));
  // An inbound on a socket that is taken is told of that alone.
  const ports = new Occurrences(all.map(({ port }) => String(port)));
  const sockets = new Occurrences(all.map(({ socket }) => socket));
  const unnamed = new Occurrences(all.map(({ name, port }) => (name === '' ? String(port) : undefined)));
  return all.flatMap(({ name, port, socket }, index): Clash[] => {
    const own = String(port);
    if (name === '') {
      const isShared =
        ports.count(own) > sockets.count(socket) && (ports.count(own) > unnamed.count(own) || unnamed.isRepeated(own, index));
      return port !== undefined && isShared ? [{ index, field: 'port', reason: SHARED_PORT }] : [];
    }
    if (names.isRepeated(name, index)) return [{ index, field: 'name', reason: 'is the name of another inbound too' }];
    const isPort = ports.count(name) > (name === own ? 1 : 0);
    return isPort ? [{ index, field: 'name', reason: 'is the port of another inbound: a section of that name would mean both' }] : [];
  });
}

const SHARED_PORT =
  'is the port of another inbound too, on another address: give each of them a name, by which policies can tell them apart';
