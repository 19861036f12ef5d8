import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MeridianError } from '../errors.ts';
import { type ReadyState, startDiagnostics } from './diagnostics.ts';
import { createMetrics, type Sample } from './metrics.ts';

const anyone = () => {};
const TURNS = [{ work: 'apply', about: '', milliseconds: 120, at: '2026-01-01T00:00:00Z', long: 1 }];
const EMPTY: Sample = {
  verdicts: { allow: 0, deny: 0 },
  exchanged: [],
  checked: [],
  byPolicy: [],
  logLinesLost: 0,
  revision: 0,
  resources: [],
  natsConnected: undefined,
  peers: [],
  incidents: [],
  turns: [],
};

async function serve(state: { ready: ReadyState; sample: Sample }, call: (url: string) => Promise<void>): Promise<void> {
  const { port, close } = await startDiagnostics({
    address: '127.0.0.1',
    port: 0,
    ready: () => state.ready,
    metrics: createMetrics(() => state.sample),
    turns: () => TURNS,
    requireOwnSite: anyone,
  });
  try {
    await call(`http://127.0.0.1:${port}`);
  } finally {
    await close();
  }
}

test('/ready is 200 or 503 with what is to be said, /healthy is 200 all the same', async () => {
  const state = { ready: { ready: false, reasons: ['not yet'], warnings: ['odd'] }, sample: EMPTY };
  await serve(state, async (url) => {
    const before = await fetch(`${url}/ready`);
    assert.deepEqual([before.status, await before.json()], [503, state.ready]);
    assert.equal((await fetch(`${url}/healthy`)).status, 200);
    state.ready = { ready: true, reasons: [], warnings: [] };
    const after = await fetch(`${url}/ready?verbose`);
    assert.deepEqual([after.status, await after.json()], [200, state.ready]);
  });
});

test('a store that can not be read ends nothing: it is not ready, and there are no metrics', async () => {
  const broken = (): never => {
    throw new MeridianError('unavailable', 'the store can not be read');
  };
  const { port, close } = await startDiagnostics({
    address: '127.0.0.1',
    port: 0,
    ready: broken,
    metrics: createMetrics(broken),
    turns: () => TURNS,
    requireOwnSite: anyone,
  });
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return [response.status, /the store can not be read/.test(await response.text())];
  };
  try {
    assert.deepEqual(
      [await ask('/ready'), await ask('/metrics')],
      [
        [503, true],
        [500, true],
      ],
    );
    assert.equal((await fetch(`http://127.0.0.1:${port}/healthy`)).status, 200);
  } finally {
    await close();
  }
});

test('what kept the event loop is at /turns, anything else is 404, and nothing can be written', async () => {
  await serve({ ready: { ready: true, reasons: [], warnings: [] }, sample: EMPTY }, async (url) => {
    assert.equal((await fetch(`${url}/`)).status, 404);
    assert.deepEqual(await (await fetch(`${url}/turns`)).json(), { turns: TURNS });
    assert.equal((await fetch(`${url}/ready`, { method: 'POST' })).status, 405);
  });
});

test('a port that is taken is an error of ours', async () => {
  const options = {
    address: '127.0.0.1',
    ready: () => ({ ready: true, reasons: [], warnings: [] }),
    metrics: createMetrics(() => EMPTY),
    turns: () => TURNS,
    requireOwnSite: anyone,
  };
  const first = await startDiagnostics({ ...options, port: 0 });
  await assert.rejects(
    startDiagnostics({ ...options, port: first.port }),
    (thrown) => thrown instanceof MeridianError && thrown.code === 'unavailable',
  );
  await first.close();
});

test('/metrics shows what is true now, and nothing of what was', async () => {
  const peer = {
    peer: 'east',
    online: true,
    upToDate: false,
    refused: 2,
    refusedByType: new Map([['MeshTimeout', 2]]),
    failures: 3,
    held: { resources: 5, bytes: 900 },
  };
  const incidents = [{ peer: 'east', event: 'a message was refused', code: '', count: 6 }];
  const proxies = { connected: 3, disconnected: 1, refusing: 2, withProblems: 0 };
  const sample = {
    logLinesLost: 3,
    verdicts: { allow: 2, deny: 5 },
    exchanged: [{ side: 'server', verdict: 'deny', reason: 'policy', count: 4 }],
    checked: [{ verdict: 'deny', reason: 'no-token', count: 8 }],
    byPolicy: [{ verdict: 'allow', policy: 'kri_ap_default_west_pay_all_', count: 9 }],
    revision: 7,
    resources: [{ type: 'Mesh', count: 4 }],
    natsConnected: true,
    peers: [peer],
    incidents,
    proxies,
    turns: [
      { work: 'request', milliseconds: 250, long: 2 },
      { work: 'request', milliseconds: 120, long: 1 },
      { work: 'commit', milliseconds: 20, long: 0 },
    ],
  };
  const state: { ready: ReadyState; sample: Sample } = { ready: { ready: true, reasons: [], warnings: [] }, sample };
  const own = async (url: string) =>
    (await (await fetch(`${url}/metrics`)).text())
      .split('\n')
      .filter((line) => line.startsWith('meridian_') && !line.startsWith('meridian_event_loop'))
      .sort();
  await serve(state, async (url) => {
    assert.deepEqual(await own(url), [
      'meridian_access_checks_total{verdict="deny",reason="no-token"} 8',
      'meridian_access_decisions_total{verdict="allow"} 2',
      'meridian_access_decisions_total{verdict="deny"} 5',
      'meridian_access_exchange_total{side="server",verdict="deny",reason="policy"} 4',
      'meridian_access_policy_decisions_total{verdict="allow",policy="kri_ap_default_west_pay_all_"} 9',
      'meridian_log_lines_lost_total 3',
      'meridian_long_turns{work="commit"} 0',
      'meridian_long_turns{work="request"} 3',
      'meridian_longest_turn_seconds{work="commit"} 0.02',
      'meridian_longest_turn_seconds{work="request"} 0.25',
      'meridian_nats_connected 1',
      'meridian_peer_incidents_total{peer="east",event="a message was refused",code=""} 6',
      'meridian_peer_online{peer="east"} 1',
      'meridian_peer_up_to_date{peer="east"} 0',
      'meridian_proxies{state="connected"} 3',
      'meridian_proxies{state="disconnected"} 1',
      'meridian_proxies{state="problem"} 0',
      'meridian_proxies{state="refusing"} 2',
      'meridian_refused_by_type{peer="east",type="MeshTimeout"} 2',
      'meridian_refused{peer="east"} 2',
      'meridian_resources{type="Mesh"} 4',
      'meridian_store_revision 7',
      'meridian_sync_failures{peer="east"} 3',
      'meridian_zone_held_bytes{peer="east"} 900',
      'meridian_zone_held_resources{peer="east"} 5',
    ]);
    const none = [
      'meridian_access_decisions_total{verdict="allow"} 0',
      'meridian_access_decisions_total{verdict="deny"} 0',
      'meridian_log_lines_lost_total 0',
    ];
    state.sample = { ...EMPTY, revision: 8 };
    assert.deepEqual(await own(url), [...none, 'meridian_store_revision 8']);
    state.sample = { ...EMPTY, natsConnected: false };
    assert.deepEqual(await own(url), [...none, 'meridian_nats_connected 0', 'meridian_store_revision 0']);
  });
});

test('who may not ask is told so, and nothing else, whatever the path', async () => {
  const refuse = (): never => {
    throw new MeridianError('forbidden', 'the Host header names another host', { hint: 'use another' });
  };
  const ready = () => ({ ready: true, reasons: [], warnings: [] });
  const options = { address: '127.0.0.1', port: 0, ready, metrics: createMetrics(() => EMPTY), turns: () => TURNS, requireOwnSite: refuse };
  const { port, close } = await startDiagnostics(options);
  try {
    for (const path of ['/ready', '/healthy', '/metrics', '/turns', '/nothing']) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      assert.deepEqual(
        [response.status, await response.json()],
        [403, { error: 'the Host header names another host', hint: 'use another' }],
      );
    }
  } finally {
    await close();
  }
});
