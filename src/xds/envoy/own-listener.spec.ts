import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { startTcpApplication } from '../../../test/harness/application.ts';
import { tcpCaller } from '../../../test/harness/caller.ts';
import { createAuthority } from '../../../test/harness/certificates.ts';
import { freePorts, startEnvoy } from '../../../test/harness/envoy.ts';
import { allowOnly } from '../../../test/harness/rbac.ts';
import { Scope } from '../../../test/harness/scope.ts';
import { until } from '../../../test/harness/until.ts';
import type { JsonObject } from '../../resource/resource.ts';
import { bootstrap } from './bootstrap.ts';
import { authenticator } from '../server/authenticate-caller.ts';
import { generate } from './generate-snapshot.ts';
import type { InboundInput } from './inbound-input.ts';
import { startXds } from '../server/xds-server.ts';
import { issueToken } from '../server/proxy-token.ts';
import { typeUrl } from '../wire/resource-types.ts';

const PROXY = { mesh: 'default', name: 'backend' };
const [WEB, OTHER] = ['spiffe://default/ns/shop/sa/web', 'spiffe://default/ns/shop/sa/other'];
const RBAC = typeUrl('envoy.extensions.filters.network.rbac.v3.RBAC');
const SECRET = Buffer.alloc(32, 3);
const scope = new Scope();
after(() => scope.close());

it('gives the RBAC alone to an Envoy with a listener of its own, over TLS to the zone', async () => {
  const authority = await createAuthority(scope.folder());
  const own = await authority.issue('backend', ['spiffe://default/ns/shop/sa/backend']);
  const [web, other] = [await authority.issue('web', [WEB]), await authority.issue('other', [OTHER])];
  const zone = await authority.issue('zone', [], ['127.0.0.1']);
  const [port = 0] = await freePorts(1);
  let allowed = WEB;
  const inbound = (): InboundInput => ({
    name: 'db',
    address: '127.0.0.1',
    port,
    servicePort: 1,
    protocol: 'tcp',
    rbac: { network: allowOnly(allowed) },
    plaintextToo: false,
  });
  const xds = await startXds({
    address: '127.0.0.1',
    port: 0,
    tls: zone,
    authenticate: authenticator(SECRET, () => 0),
    snapshotOf: () => generate({ inbounds: [inbound()], certificates: own }),
    report: () => {},
  });
  scope.add(() => xds.close());
  const token = issueToken(SECRET, PROXY, 1);
  const given = bootstrap({ ...PROXY, xdsAddress: `127.0.0.1:${xds.port}`, token, adminPort: 0, xdsCa: zone.ca });
  const envoy = await startEnvoy(scope, withOwnListener(given, port, await startTcpApplication(scope), own));

  await until('the RBAC arrived', async () => (await tcpCaller(scope, port, web).say('a')) === 'a');
  assert.equal(await tcpCaller(scope, port, other).say('b'), undefined);
  allowed = OTHER;
  xds.changed(PROXY);
  await until('the change arrived', async () => (await tcpCaller(scope, port, other).say('c')) === 'c');
  assert.equal(await tcpCaller(scope, port, web).say('d'), undefined);
  assert.equal(await envoy.stat('listener_manager.total_listeners_active'), 1);
  assert.equal(xds.view(PROXY)?.streams[0]?.types.length, 1);
});

/**
 * The bootstrap without what the zone would have given, and with a listener that asks for `rbac:db` and denies until it
 * comes.
 */
function withOwnListener(
  given: JsonObject,
  port: number,
  applicationPort: number,
  files: { ca: string; cert: string; key: string },
): JsonObject {
  const address = (portValue: number) => ({ socketAddress: { address: '127.0.0.1', portValue } });
  const endpoints = [{ lbEndpoints: [{ endpoint: { address: address(applicationPort) } }] }];
  const application = { name: 'application', type: 'STATIC', loadAssignment: { clusterName: 'application', endpoints } };
  const configDiscovery = {
    configSource: { ads: {}, resourceApiVersion: 'V3' },
    typeUrls: [RBAC],
    defaultConfig: { '@type': RBAC, statPrefix: 'until-then', rules: {} },
  };
  const proxy = { '@type': typeUrl('envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy'), statPrefix: 'db', cluster: 'application' };
  const tls = {
    '@type': typeUrl('envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext'),
    requireClientCertificate: true,
    commonTlsContext: {
      tlsCertificates: [{ certificateChain: { filename: files.cert }, privateKey: { filename: files.key } }],
      validationContext: { trustedCa: { filename: files.ca } },
    },
  };
  const filters = [
    { name: 'rbac:db', configDiscovery },
    { name: 'tcp', typedConfig: proxy },
  ];
  const listener = { name: 'own', address: address(port), filterChains: [{ filters, transportSocket: { name: 'tls', typedConfig: tls } }] };
  const dynamic = given.dynamicResources as JsonObject;
  const statics = given.staticResources as { clusters: JsonObject[] };
  return {
    ...given,
    dynamicResources: { adsConfig: dynamic.adsConfig },
    staticResources: { clusters: [...statics.clusters, application], listeners: [listener] },
  };
}
