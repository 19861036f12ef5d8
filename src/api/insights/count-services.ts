import { compareText } from '../../resource/key.ts';
import { type CountedProxy, groupedBy, type ProxyKind, type OnlineStatus, statusOf, type OnlineCounts, tallyOf } from './insight-status.ts';

/** A service of one mesh, by the tag of the Dataplanes that are of it. */
export interface CountedService {
  readonly mesh: string;
  readonly name: string;
  readonly kind: ProxyKind;
  readonly status: OnlineStatus;
  readonly dataplanes: OnlineCounts;
  /** Sorted. */
  readonly zones: readonly string[];
}

/** The services of some Dataplanes, by mesh and name. */
export function servicesOf(counted: readonly CountedProxy[]): CountedService[] {
  const memberships = counted.flatMap((member) => member.services.map((name) => ({ name, member })));
  const groups = groupedBy(memberships, ({ name, member }) => JSON.stringify([member.mesh, name]));
  const services = [...groups.values()].flatMap((members) => toService(members));
  return services.sort((a, b) => compareText(a.mesh, b.mesh) || compareText(a.name, b.name));
}

function toService(memberships: readonly { readonly name: string; readonly member: CountedProxy }[]): CountedService[] {
  const [first] = memberships;
  if (!first) return [];
  const members = memberships.map(({ member }) => member);
  const dataplanes = tallyOf(members);
  const zones = [...new Set(members.map(({ zone }) => zone))].sort();
  const { mesh, kind } = first.member;
  return [{ mesh, name: first.name, kind, status: statusOf(dataplanes.online, dataplanes.total), dataplanes, zones }];
}
