import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Plane } from '../control/plane/plane.ts';
import { nodeId, type ProxyId } from '../xds/server/proxy-id.ts';
import { EAST, newPlane } from '../../test/harness/control-planes.ts';
import { authenticateProxies, issueProxyToken, revokeProxyTokens } from './proxy-tokens.ts';

const PROXY: ProxyId = { mesh: 'default', name: 'backend.shop' };
const OTHER: ProxyId = { mesh: 'default', name: 'web.shop' };
/** Seconds since 1970. */
const NOW = 1_767_225_600.7;

let plane: Plane;
beforeEach(() => {
  plane = newPlane(EAST);
});

const proves = (token: string, proxy: ProxyId = PROXY, now = NOW) =>
  authenticateProxies(plane, () => now)({ nodeId: nodeId(proxy), token, certificate: undefined })?.proxy;
const issue = (validFor = 60) => issueProxyToken(plane, NOW, PROXY, validFor);

test('a token proves its own proxy, until it ends', () => {
  const issued = issue();
  assert.deepEqual([issued.nodeId, issued.expires], [nodeId(PROXY), '2026-01-01T00:01:00.000Z']);
  assert.deepEqual(proves(issued.token), PROXY);
  assert.equal(proves(issued.token, OTHER), undefined);
  assert.equal(proves(issued.token, PROXY, NOW + 60), undefined);
});

test('the secret is kept: a token of before holds, and makes no second secret', () => {
  const { token } = issue();
  const settings = plane.store.settingsFrom('proxy token').map((name) => plane.store.setting(name));
  issue();
  assert.deepEqual(
    plane.store.settingsFrom('proxy token').map((name) => plane.store.setting(name)),
    settings,
  );
  assert.deepEqual(proves(token), PROXY);
});

test('another zone takes no token of this one', () => {
  const { token } = issue();
  plane = newPlane(EAST);
  assert.equal(proves(token), undefined);
});

test('revoking ends all tokens, new ones hold, and each connected proxy is judged anew', () => {
  const { token } = issue();
  const judged: string[] = [];
  revokeProxyTokens(plane, { connected: () => [PROXY, OTHER], changed: (proxy) => void judged.push(proxy ? nodeId(proxy) : 'all') });
  assert.equal(proves(token), undefined);
  assert.deepEqual(proves(issue().token), PROXY);
  assert.deepEqual(judged, [nodeId(PROXY), nodeId(OTHER)]);
});
