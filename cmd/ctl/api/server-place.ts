import { MeridianError } from '../../../src/errors.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import { ENVIRONMENTS, type JsonValue, type Place, usesNamespaces } from '../../../src/resource/resource.ts';
import { ask } from './api-client.ts';
import { textOf } from '../terminal/printable.ts';
import type { Server } from './server-address.ts';

/**
 * Where the control plane stands that is asked: global or which zone, and whether there are namespaces. Throws
 * `unavailable` for a stranger.
 */
export async function placeOf(server: Server): Promise<Place> {
  const config = await ask(server, '/config');
  const { mode, environment: written, multizone, store } = isObject(config) ? config : {};
  const environment = ENVIRONMENTS.find((one) => one === written);
  if ((mode !== 'global' && mode !== 'zone') || environment === undefined) {
    throw new MeridianError('unavailable', `${server.url} does not say where it stands`, {
      hint: 'check that it is a control plane of Meridian',
    });
  }
  const zone = mode === 'global' ? '' : textOf(inside(inside(multizone, 'zone'), 'name'));
  const systemNamespace = usesNamespaces(environment) ? textOf(inside(inside(store, 'kubernetes'), 'systemNamespace')) : '';
  return { zone, environment, systemNamespace };
}

function inside(value: JsonValue | undefined, field: string): JsonValue | undefined {
  return isObject(value) ? (value[field] as JsonValue | undefined) : undefined;
}
