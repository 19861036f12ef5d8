import { asMeridianError } from '../../errors.ts';
import type { JsonObject } from '../../resource/resource.ts';
import { encodeResource } from '../wire/encode-resource.ts';
import { TYPE_URLS } from '../wire/resource-types.ts';
import type { UnbuiltInbound } from '../envoy/inbound-input.ts';
import type { GatewayPort } from './gateway-input.ts';
import { gatewayListener, gatewayRoutes } from './gateway-listener.ts';

/** What is made for one port; or why it can't be, and then nobody gets in, since there is no listener. */
export type BuiltPort = { readonly listener: JsonObject; readonly routes: JsonObject } | { readonly shut: UnbuiltInbound };

/** What can't be encoded is found here, where it is known whose it is. What is encoded once is so for good. */
export function buildPort(port: GatewayPort): BuiltPort {
  try {
    const [listener, routes] = [gatewayListener(port), gatewayRoutes(port)];
    encodeResource(TYPE_URLS.listeners, listener);
    encodeResource(TYPE_URLS.routes, routes);
    return { listener, routes };
  } catch (thrown) {
    return { shut: { inbound: String(port.port), reason: asMeridianError(thrown).message } };
  }
}
