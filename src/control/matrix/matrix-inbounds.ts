import { sectionOf } from '../../policy/inspect/proxy-layout.ts';
import { type Inbound, type Proxy, readProxy } from '../../policy/match/read-proxy.ts';
import { SERVICE_TAG } from '../../policy/match/proxy-tags.ts';
import { compareText } from '../../resource/key.ts';
import type { Resource } from '../../resource/resource.ts';
import type { Parts } from '../../resource/store/parts.ts';
import type { MeshView } from '../mesh/mesh-view.ts';
import { chooseInbounds } from '../mesh/answer-can.ts';
import { whyNotServed } from '../mesh/not-enforced-notes.ts';

/** A column of a matrix: a port of a proxy. */
export interface MatrixInbound {
  readonly proxy: Proxy;
  readonly dataplane: Resource;
  /** Its name, else its port. */
  readonly section: string;
  /** Those that are called so; seldom more than one. */
  readonly inbounds: readonly Inbound[];
  /** As it is tagged; '' if it is not. */
  readonly service: string;
}

/** The columns of a mesh: by zone, then service, then proxy. */
export function* inboundsOf(view: MeshView): Parts<MatrixInbound[]> {
  const columns: MatrixInbound[] = [];
  for (const dataplane of view.dataplanes) {
    const proxy = readProxy(dataplane, view.index);
    const listening = proxy.inbounds.filter(({ port }) => port !== undefined);
    for (const section of new Set(listening.map(sectionOf))) columns.push(portsOf(proxy, section));
    yield;
  }
  const placed = columns.map((column) => ({
    column,
    place: [column.dataplane.key.zone, column.service, column.dataplane.name].join('\0'),
  }));
  yield;
  return placed.sort((a, b) => compareText(a.place, b.place)).map(({ column }) => column);
}

/** The column that `can` means by a section; without one, the only one. Throws `invalid`. */
export function portsOf(proxy: Proxy, section: string | undefined): MatrixInbound {
  const inbounds = chooseInbounds(proxy, section);
  const [first] = inbounds;
  return { proxy, dataplane: proxy.dataplane, section: first ? sectionOf(first) : '', inbounds, service: first?.tags[SERVICE_TAG] ?? '' };
}

/** Whether a listener is served there that asks: if one of them is, as `can` has it. */
export function isEnforced({ proxy, inbounds }: MatrixInbound): boolean {
  return inbounds.some((inbound) => whyNotServed(proxy, inbound) === undefined);
}
