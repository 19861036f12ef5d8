import { displayName } from '../resources/kri.ts';
import { type CellLetter, toLetter, type VerdictMatrix } from '../matrix/matrix.ts';

/** The proxies of one zone that are of one service, by their tag. */
export interface MappedService {
  readonly id: string;
  readonly zone: string;
  readonly service: string;
  /** Ports that can be called; 0: it calls only. */
  readonly inbounds: number;
  /** Whether anybody asks the policies there. */
  readonly enforced: boolean;
}

/** Some of `from` may call some of `to`. `fully`: all of them, at each port, with any request. */
export interface ServiceArrow {
  readonly from: string;
  readonly to: string;
  readonly fully: boolean;
}

export interface ServiceMap {
  readonly services: readonly MappedService[];
  readonly arrows: readonly ServiceArrow[];
}

/** Whether some requests are let in, and all. A verdict in the shadow counts for nothing here. */
const LETS_IN: Readonly<Record<CellLetter, { readonly some: boolean; readonly all: boolean }>> = {
  A: { some: true, all: true },
  a: { some: true, all: true },
  p: { some: true, all: false },
  D: { some: false, all: false },
  d: { some: false, all: false },
};

/** Who may call whom, by zones and services: what a matrix says of proxies, put together. */
export function serviceMap({ callers, inbounds, verdicts }: VerdictMatrix): ServiceMap {
  const services = new Map<string, MappedService>();
  const add = (zone: string, service: string, more: { inbounds: number; enforced: boolean }): string => {
    const id = `${zone}/${service}`;
    const known = services.get(id) ?? { id, zone, service, inbounds: 0, enforced: false };
    services.set(id, { ...known, inbounds: known.inbounds + more.inbounds, enforced: known.enforced || more.enforced });
    return id;
  };
  const targets = inbounds.items.map(({ zone, service, kri, enforced }) =>
    add(zone, service || displayName(kri), { inbounds: 1, enforced }),
  );
  const tallies = new Map<string, { readonly from: string; readonly to: string; some: boolean; all: boolean }>();
  for (const [row, caller] of callers.items.entries()) {
    const sources = (caller.services ?? []).map(({ zone, service }) => add(zone, service, { inbounds: 0, enforced: false }));
    for (const [column, to] of targets.entries()) {
      const { some, all } = LETS_IN[toLetter(verdicts[row]?.charAt(column))];
      for (const from of sources) {
        const id = `${from} ${to}`;
        const tally = tallies.get(id) ?? { from, to, some: false, all: true };
        tally.some ||= some;
        tally.all &&= all;
        tallies.set(id, tally);
      }
    }
  }
  const arrows = [...tallies.values()].filter(({ some }) => some).map(({ from, to, all }) => ({ from, to, fully: all }));
  return { services: [...services.values()], arrows };
}

/** Services and zones that are drawn. */
const MOST_SERVICES = 40;
const MOST_ZONES = 8;

/**
 * As much as can be looked at: services whose zone or name holds `part`, with whom they may call and who may call them;
 * those with the most arrows first, by zone and name.
 */
export function drawn({ services, arrows }: ServiceMap, part: string): ServiceMap {
  const wanted = new Set(services.filter(({ id }) => id.includes(part)).map(({ id }) => id));
  const near = new Set(arrows.flatMap(({ from, to }) => (wanted.has(from) || wanted.has(to) ? [from, to] : [])));
  const counts = new Map<string, number>();
  for (const end of arrows.flatMap(({ from, to }) => [from, to])) counts.set(end, (counts.get(end) ?? 0) + 1);
  const ranked = services
    .filter(({ id }) => wanted.has(id) || near.has(id))
    .toSorted((a, b) => (counts.get(b.id) ?? 0) - (counts.get(a.id) ?? 0) || (a.id < b.id ? -1 : 1));
  const zones = new Set<string>();
  const chosen: MappedService[] = [];
  for (const one of ranked) {
    if (chosen.length === MOST_SERVICES) break;
    if (zones.size === MOST_ZONES && !zones.has(one.zone)) continue;
    zones.add(one.zone);
    chosen.push(one);
  }
  const ids = new Set(chosen.map(({ id }) => id));
  return {
    services: chosen.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    arrows: arrows.filter(({ from, to }) => ids.has(from) && ids.has(to)),
  };
}
