import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lines, meridianctl, startStub } from '../../../test/harness/meridianctl.ts';

const ANSWER = {
  enforced: false,
  allowed: true,
  zone: 'east',
  caller: {
    dataplane: 'kri_dp_default_east_pay_web-1_',
    attributes: [{ key: 'k8s:ns', value: 'pay', scope: 'workload', source: 'Dataplane, namespace', trust: 'orchestrator' }],
  },
  bindings: [
    {
      service: 'kri_msvc_default_east_pay_ledger_',
      site: 'east',
      allowed: true,
      privileged: false,
      decidedBy: 'kri_ap_default_east_pay_web_',
      default: false,
      reason: 'a policy allows it',
      matchedInShadow: [],
      attributes: [],
    },
    {
      service: 'kri_msvc_default_west_pay_ledger_',
      site: 'west',
      allowed: false,
      privileged: false,
      decidedBy: null,
      default: true,
      reason: 'no policy allows it',
      matchedInShadow: [],
      attributes: [],
    },
  ],
  left: [{ service: 'kri_msvc_default_north_pay_ledger_', site: 'north', why: 'away', reason: 'zone north is disabled' }],
  pick: { scheme: 'static', policy: 'kri_lbp_default_east_pay_lb_', sites: ['east'] },
  warnings: ['it is only decided'],
};

describe('meridianctl access, live', { concurrency: 2 }, () => {
  const asked: readonly (readonly [title: string, args: string[], question: object])[] = [
    [
      'a proxy and a service',
      ['--from', 'web-1.pay', '--to', 'ledger', '--namespace', 'pay'],
      { mesh: 'default', from: { dataplane: 'web-1.pay' }, to: { service: 'ledger', namespace: 'pay' } },
    ],
    [
      'made up sets, at a zone',
      ['--attributes', 'k8s:ns=pay, k8s:label:v=a=b', '--zone', 'east', '--to-attributes', 'service:name=ledger', '-m', 'm'],
      {
        mesh: 'm',
        from: { attributes: { 'k8s:ns': 'pay', 'k8s:label:v': 'a=b' }, zone: 'east' },
        to: { attributes: { 'service:name': 'ledger' }, namespace: '' },
      },
    ],
  ];
  for (const [title, args, question] of asked) {
    it(`asks with ${title}`, async (t) => {
      const stub = await startStub(t, () => ({ body: ANSWER }));
      const { code, out, err } = await meridianctl(['access', ...args, '-o', 'json', '--url', stub.url]);
      assert.deepEqual([code, JSON.parse(out), lines(stub)], [0, ANSWER, ['POST /access']]);
      assert.deepEqual(JSON.parse(stub.asked[0]?.body ?? ''), question);
      assert.equal(err, 'warning: it is only decided\n');
    });
  }

  it('shows the caller, each site, the pick, and that nobody asks it', async (t) => {
    const stub = await startStub(t, () => ({ body: ANSWER }));
    const { out } = await meridianctl(['access', '--from', 'web-1.pay', '--to', 'ledger', '--url', stub.url]);
    for (const line of [
      /^k8s:ns +pay +orchestrator +Dataplane, namespace$/m,
      /^east +Allow +kri_ap_default_east_pay_web_ +a policy allows it$/m,
      /^west +Deny +- +no policy allows it$/m,
      /^north +away +- +zone north is disabled$/m,
      /^picked: east \(static, kri_lbp_default_east_pay_lb_\)$/m,
      /^not enforced: /m,
    ])
      assert.match(out, line);
  });

  it('shows how often each site is picked, where that is not alike', async (t) => {
    const pick = { scheme: 'weighted', policy: null, sites: ['east', 'west'], weights: [3, 1] };
    const stub = await startStub(t, () => ({ body: { ...ANSWER, pick } }));
    const { out } = await meridianctl(['access', '--from', 'web-1.pay', '--to', 'ledger', '--url', stub.url]);
    assert.match(out, /^picked: east 3, west 1 \(weighted, no LoadBalancingPolicy matches\)$/m);
  });

  const CONNECTED = {
    allowed: true,
    why: 'allowed',
    reason: 'a policy allows it',
    identity: 'spiffe://td/web',
    site: 'west',
    here: ANSWER,
    there: { allowed: true, why: 'allowed', decidedBy: 'kri_ap_default_west_pay_web_', reason: 'a policy allows it' },
    token: 'A'.repeat(43),
    expiresIn: 5_000,
  };

  it('lets a proxy in, and shows what each side says', async (t) => {
    const stub = await startStub(t, () => ({ body: CONNECTED }));
    const { code, out } = await meridianctl(['access', '--from', 'web-1.pay', '--to', 'ledger', '--connect', '--url', stub.url]);
    assert.deepEqual([code, lines(stub)], [0, ['POST /access/connect']]);
    assert.deepEqual(JSON.parse(stub.asked[0]?.body ?? ''), {
      mesh: 'default',
      from: { dataplane: 'web-1.pay' },
      to: { service: 'ledger', namespace: '' },
    });
    for (const line of [
      /^east +Allow +kri_ap_default_east_pay_web_ +a policy allows it$/m,
      /^west +Allow +kri_ap_default_west_pay_web_ +a policy allows it$/m,
      /^a token for one call by spiffe:\/\/td\/web, within 5 s: A{43}$/m,
    ])
      assert.match(out, line);
  });

  it('says why nobody was let in', async (t) => {
    const denied = {
      ...CONNECTED,
      allowed: false,
      why: 'no-answer',
      reason: 'zone west did not answer within 2 s',
      there: null,
      token: null,
    };
    const stub = await startStub(t, () => ({ body: denied }));
    const { code, out } = await meridianctl([
      'access',
      '--from',
      'a',
      '--to',
      'b',
      '--identity',
      'spiffe://td/a',
      '--connect',
      '--url',
      stub.url,
    ]);
    assert.equal(code, 0);
    assert.match(out, /^denied: zone west did not answer within 2 s$/m);
    assert.doesNotMatch(out, /ZONE ASKED/);
  });

  const wrong: readonly (readonly [args: string[], message: RegExp])[] = [
    [['--to', 'a'], /either --from or --attributes/],
    [['--from', 'a', '--attributes', 'k8s:ns=a', '--to', 'a'], /either --from or --attributes/],
    [['--from', 'a'], /either --to or --to-attributes/],
    [['--attributes', 'k8s:ns', '--to', 'a'], /--attributes must be like/],
    [['-f', '-'], /go together/],
    [['--from', 'a', '--to', 'b', '--identity', 'spiffe://td/a'], /goes with --connect/],
    [['--attributes', 'k8s:ns=a', '--to', 'b', '--connect'], /goes with --from and --to/],
    [['--from', 'a', '--to-attributes', 'service:name=b', '--connect'], /goes with --from and --to/],
  ];
  for (const [args, message] of wrong) {
    it(`is wrong usage: ${args.join(' ')}`, async () => {
      const { code, err } = await meridianctl(['access', ...args]);
      assert.equal(code, 2);
      assert.match(err, message);
    });
  }
});
