import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { carry, EAST, newGlobal, newPlane, newZone, WEST } from '../../../test/harness/control-planes.ts';
import { encodeItem } from '../../kds/item.ts';
import { NOBODY, OTHERS } from '../../resource/audience.ts';
import type { Draft, JsonObject } from '../../resource/resource.ts';
import type { Plane } from '../plane/plane.ts';
import { zoneKey } from '../peers/zone-state.ts';
import { passOnZones, registerZone } from '../write/zone-registration.ts';
import { knownSites, siteWarnings } from './known-sites.ts';
import { writeDrafts } from '../../../test/harness/write-drafts.ts';

const zone = (name: string, spec: JsonObject): Draft => ({ type: 'Zone', mesh: '', name, namespace: undefined, labels: {}, spec });
const shown = (plane: Plane) =>
  Object.fromEntries(
    [...knownSites(plane)].map(([name, { attributes, disabled }]) => [name, disabled ? 'disabled' : Object.fromEntries(attributes ?? [])]),
  );

describe('the sites that are known', () => {
  it('are those of the Zones, in every zone', () => {
    const global = newGlobal(EAST, WEST);
    writeDrafts(global, [zone('east', { attributes: { geo: 'eu' } }), zone('west', { enabled: false })]);
    const east = newZone(EAST, global);
    const known = { east: { 'site:name': 'east', 'site:geo': 'eu' }, west: 'disabled' };
    assert.deepEqual([shown(global), shown(east)], [known, known]);
    writeDrafts(global, [zone('east', { attributes: { geo: 'us' } })]);
    carry(global, east, 'delta');
    assert.deepEqual(shown(east).east, { 'site:name': 'east', 'site:geo': 'us' });
  });

  it('of a zone that has no Zone of itself are what its configuration says', () => {
    const global = newGlobal(EAST);
    const alone: Plane = { ...newPlane(EAST), site: { geo: 'eu' } };
    assert.deepEqual([shown(alone), siteWarnings(alone)], [{ east: { 'site:name': 'east', 'site:geo': 'eu' } }, []]);
    writeDrafts(global, [zone('east', { attributes: { geo: 'us' } })]);
    const joined: Plane = { ...newZone(EAST, global), site: { geo: 'eu' } };
    assert.deepEqual(shown(joined), { east: { 'site:name': 'east', 'site:geo': 'us' } });
    assert.match(siteWarnings(joined).join(), /siteAttributes says site:geo, and global's Zone east says otherwise/);
  });

  it('are taken from a zone once, when there is no Zone of it, and never where they are none of a site', () => {
    const global = newGlobal(EAST, WEST);
    const register = (name: string, attributes: Record<string, string>) =>
      global.store.commit((tx) => registerZone(tx, global, name, attributes));
    register('east', { geo: 'eu' });
    register('east', { geo: 'us' });
    writeDrafts(global, [zone('west', { attributes: { geo: 'asia' } })]);
    register('west', { geo: 'eu' });
    register('north', { 'site:name': 'east' });
    assert.deepEqual(shown(global), {
      east: { 'site:name': 'east', 'site:geo': 'eu' },
      north: { 'site:name': 'north' },
      west: { 'site:name': 'west', 'site:geo': 'asia' },
    });
  });

  it('can not be said by a zone, neither its own nor another one’s', () => {
    const global = newGlobal(EAST, WEST);
    writeDrafts(global, [zone('east', {}), zone('west', {})]);
    const before = shown(global);
    for (const name of ['east', 'west']) {
      const east = newZone(EAST, global);
      const key = { ...zoneKey(name), zone: 'east' };
      const spec = { attributes: { geo: 'eu' } };
      const forged = { key, name: `${name}-own`, namespace: '', labels: {}, spec, creationTime: '', modificationTime: '' };
      east.store.commit((tx) => tx.put(forged, OTHERS, encodeItem({ key, labels: {}, spec })));
      assert.equal(carry(east, global), 'applied');
      assert.equal(global.store.mirror.refusalSum('east').count, 1, name);
      assert.deepEqual(shown(global), before, name);
    }
  });

  it('go to the zones after an upgrade, too', () => {
    const global = newGlobal(EAST);
    writeDrafts(global, [zone('east', { attributes: { geo: 'eu' } })]);
    const kept = global.store.get(zoneKey('east'));
    assert.ok(kept);
    global.store.commit((tx) => tx.put(kept.resource, NOBODY, ''));
    assert.deepEqual(shown(newZone(EAST, global)), { east: { 'site:name': 'east' } });
    passOnZones(global);
    const { revision } = global.store.head();
    passOnZones(global);
    assert.equal(global.store.head().revision, revision);
    assert.deepEqual(shown(newZone(EAST, global)), { east: { 'site:name': 'east', 'site:geo': 'eu' } });
  });
});
