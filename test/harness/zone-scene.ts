import assert from 'node:assert/strict';
import { answerAccess } from '../../src/control/access/answer-access.ts';
import type { CallOutcome } from '../../src/control/access/connect-caller.ts';
import type { Plane } from '../../src/control/plane/plane.ts';
import type { Draft, JsonObject, Place } from '../../src/resource/resource.ts';
import { carry, EAST, newGlobal, newZone, WEST } from './control-planes.ts';
import { writeDrafts } from './write-drafts.ts';
import { testClock, type TestZoneAccess, zoneAccessOf } from './zone-access.ts';
import { ZoneNetwork } from './zone-network.ts';

/** Three zones in one process that ask each other: what the specs of calls from zone to zone share. */

const NORTH: Place = { ...WEST, zone: 'north' };
export const CALLER = 'spiffe://default.east.mesh.local/ns/shop/dataplane/orders-1';
export const SERVICE = { name: 'ledger', namespace: 'pay' };
export const ledgerOf = (zone: string) => ({ type: 'MeshService', mesh: 'default', zone, namespace: 'pay', name: 'ledger' });

export const draft = (type: string, name: string, spec: JsonObject, namespace?: string, labels = {}): Draft => {
  return { type, mesh: type === 'Zone' ? '' : 'default', name, namespace, labels, spec };
};
const ALL = [{ workloadSelector: {} }];
export const having = (matchLabels: Record<string, string>) => [{ workloadSelector: { matchLabels } }];
export const policy = (name: string, action: string, from: JsonObject['from'] = ALL, type = 'AccessPolicy') =>
  draft(type, name, { action, from: from ?? ALL, to: ALL }, type === 'AccessPolicy' ? 'pay' : undefined);

export interface ZoneScene {
  readonly global: Plane;
  readonly planes: Readonly<Record<'east' | 'west' | 'north', Plane>>;
  readonly network: ZoneNetwork;
  readonly clock: ReturnType<typeof testClock>;
  readonly zones: Readonly<Record<'east' | 'west' | 'north', TestZoneAccess>>;
  readonly log: unknown[];
  /** East's proxy asks for the ledger. */
  connect(): Promise<CallOutcome>;
  /** How often something was counted. */
  count(zone: 'east' | 'west' | 'north', side: string, reason: string): number;
}

/** East has a caller, west and north have the ledger, and all let everybody in. */
export function zoneScene(): ZoneScene {
  const global = newGlobal(EAST, WEST, NORTH);
  writeDrafts(global, [
    draft('Zone', 'east', { attributes: { location: 'eu/paris' } }),
    draft('Zone', 'west', { attributes: { location: 'us' } }),
    draft('Zone', 'north', { attributes: { location: 'eu' } }),
  ]);
  const made = [EAST, WEST, NORTH].map((place) => newZone(place, global));
  const [east, west, north] = made as [Plane, Plane, Plane];
  for (const plane of [west, north]) {
    writeDrafts(plane, [draft('MeshService', 'ledger', { ports: [{ port: 80 }] }, 'pay')]);
    assert.equal(carry(plane, global), 'applied');
  }
  for (const plane of made) {
    assert.equal(carry(global, plane), 'applied');
    writeDrafts(plane, [policy('all', 'allow')]);
  }
  writeDrafts(east, [
    draft('Dataplane', 'orders-1', { networking: { address: '10.0.0.1', inbound: [{ port: 80 }] } }, 'shop', { app: 'orders' }),
  ]);
  const [network, clock, log] = [new ZoneNetwork(), testClock(), [] as unknown[]];
  const access = (plane: Plane) => zoneAccessOf(plane, { lanes: network.of(plane.place.zone), machine: clock, log });
  const zones = { east: access(east), west: access(west), north: access(north) };
  const connect = () => {
    const [dataplane] = [...east.store.each('Dataplane')].map(({ resource }) => resource);
    assert.ok(dataplane);
    const services = [...east.store.each('MeshService')].map(({ resource }) => resource);
    const ground = {
      plane: east,
      view: zones.east.views('default'),
      services,
      hasGlobal: true,
      away: (zone: string) => zones.east.exchange.away(zone),
    };
    const decide = () => answerAccess(ground, { mesh: 'default', from: { dataplane }, to: SERVICE });
    return zones.east.connector.connect(decide, { mesh: 'default', service: SERVICE, identity: CALLER });
  };
  const count: ZoneScene['count'] = (zone, side, reason) =>
    zones[zone].exchange.counts
      .read()
      .filter((one) => one.side === side && one.reason === reason)
      .reduce((sum, one) => sum + one.count, 0);
  return { global, planes: { east, west, north }, network, clock, zones, log, connect, count };
}
