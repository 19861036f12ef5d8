import { NatsTransport } from '../../src/nats/nats-transport.ts';
import type { Scope } from '../harness/scope.ts';
import { type OnApplied, LightZone } from './light-zone.ts';

/**
 * Starts so many light zones, called `light-0` and so on, each with a connection of its own. They end with the scope.
 */
export function startFleet(scope: Scope, url: string, count: number, onApplied?: OnApplied): readonly LightZone[] {
  return Array.from({ length: count }, (_, index) => startLight(scope, url, `light-${index}`, onApplied));
}

export function startLight(scope: Scope, url: string, name: string, onApplied?: OnApplied): LightZone {
  const transport = new NatsTransport({ url, credsFile: undefined, tls: {}, zone: name, log: () => {} });
  const zone = new LightZone(name, transport, onApplied);
  transport.start();
  scope.add(async () => {
    zone.stop();
    await transport.close(0);
  });
  return zone;
}
