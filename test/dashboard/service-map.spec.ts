import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drawn, type ServiceMap, serviceMap } from '../../src/dashboard/map/service-map.ts';
import type { VerdictMatrix } from '../../src/dashboard/matrix/matrix.ts';

const caller = (name: string, ...services: readonly string[]) => ({
  kind: services.length === 0 ? ('identity' as const) : ('dataplanes' as const),
  name,
  sans: [name],
  dataplanes: services.length,
  services: services.map((id) => ({ zone: id.split('/')[0] ?? '', service: id.split('/')[1] ?? '' })),
});
const inbound = (name: string, zone: string, service: string) => ({
  kri: `kri_dp_default_${zone}__${name}_80`,
  dataplane: name,
  zone,
  service,
  inbound: '80',
  enforced: true,
});

function matrix(rows: Readonly<Record<string, readonly [services: readonly string[], verdicts: string]>>): VerdictMatrix {
  const callers = Object.entries(rows).map(([name, [services]]) => caller(name, ...services));
  const inbounds = [inbound('o-1', 'east', 'orders'), inbound('o-2', 'east', 'orders'), inbound('plain', 'west', '')];
  return {
    callers: { total: callers.length, items: callers },
    inbounds: { total: inbounds.length, items: inbounds },
    verdicts: Object.values(rows).map(([, verdicts]) => verdicts),
  };
}

const arrowsOf = ({ arrows }: ServiceMap) => arrows.map(({ from, to, fully }) => `${from} ${fully ? '=>' : '->'} ${to}`).sort();

describe('the map of services', () => {
  it('is whole where each proxy may call each port with any request, broken where some may, and nothing where none may', () => {
    const cases: readonly [rows: Parameters<typeof matrix>[0], arrows: readonly string[]][] = [
      [{ a: [['west/web'], 'AAD'] }, ['west/web => east/orders']],
      [{ a: [['west/web'], 'aaD'] }, ['west/web => east/orders']],
      [{ a: [['west/web'], 'ADD'] }, ['west/web -> east/orders']],
      [{ a: [['west/web'], 'ppD'] }, ['west/web -> east/orders']],
      [{ a: [['west/web'], 'dDD'] }, []],
      [{ a: [['west/web'], 'AAD'], b: [['west/web'], 'DDD'] }, ['west/web -> east/orders']],
      [{ a: [['west/web', 'east/web'], 'DDA'] }, ['east/web => west/plain', 'west/web => west/plain']],
      // Who is named by permissions is no service.
      [{ a: [[], 'AAA'] }, []],
    ];
    for (const [rows, arrows] of cases) assert.deepEqual(arrowsOf(serviceMap(matrix(rows))), arrows, JSON.stringify(rows));
  });

  it('draws those with a name, and whom they may call or who may call them', () => {
    const all = serviceMap(matrix({ a: [['west/web'], 'AAD'], b: [['north/batch'], 'DDA'] }));
    assert.deepEqual(
      drawn(all, 'web').services.map(({ id }) => id),
      ['east/orders', 'west/web'],
    );
    assert.deepEqual(arrowsOf(drawn(all, 'batch')), ['north/batch => west/plain']);
  });

  it('draws 40 services of 8 zones at most, those with the most arrows', () => {
    const service = (zone: number, index: number) => ({
      id: `z${zone}/s${index}`,
      zone: `z${zone}`,
      service: `s${index}`,
      inbounds: 1,
      enforced: true,
    });
    const services = Array.from({ length: 100 }, (_, index) => service(index % 20, index));
    const arrows = [{ from: 'z19/s99', to: 'z9/s89', fully: true }];
    const shown = drawn({ services, arrows }, '');
    assert.deepEqual([shown.services.length, new Set(shown.services.map(({ zone }) => zone)).size], [40, 8]);
    assert.deepEqual(arrowsOf(shown), ['z19/s99 => z9/s89']);
  });
});
