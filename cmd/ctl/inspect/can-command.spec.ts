import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lines, meridianctl, startStub } from '../../../test/harness/meridianctl.ts';

const ANSWER = {
  decision: 'Allow',
  shadow: 'Deny',
  decidedBy: 'kri_mtp_default___p_',
  shadowDecidedBy: null,
  reason: 'an allow list names it',
  warnings: ['q opens nothing'],
};

const HINT = 'hint: check the name and the mesh (-m): `meridianctl get KIND` lists what there is\n';

describe('meridianctl can', { concurrency: 2 }, () => {
  const asked: [title: string, args: string[], question: object][] = [
    [
      'a SPIFFE ID, and all that is known of the request',
      ['--from', 'spiffe://td/a', '--to', 'web.ns:8080', '--method', 'get', '--path', '/x?y=1'],
      { from: { spiffeId: 'spiffe://td/a' }, to: { mesh: 'default', dataplane: 'web.ns', port: '8080' }, method: 'GET', path: '/x?y=1' },
    ],
    [
      'tags, a mesh and a named inbound',
      ['--tags', 'kuma.io/service=web, env=a=b', '--to', 'kri_dp_m_east__web_:admin', '-m', 'm'],
      { from: { tags: { 'kuma.io/service': 'web', env: 'a=b' } }, to: { mesh: 'm', dataplane: 'kri_dp_m_east__web_', port: 'admin' } },
    ],
    ['no port', ['--from', 'spiffe://td', '--to', 'web'], { from: { spiffeId: 'spiffe://td' }, to: { mesh: 'default', dataplane: 'web' } }],
  ];
  for (const [title, args, question] of asked) {
    it(`asks with ${title}`, async (t) => {
      const stub = await startStub(t, () => ({ body: ANSWER }));
      const { code, out, err } = await meridianctl(['can', ...args, '-o', 'json', '--url', stub.url]);
      assert.deepEqual([code, JSON.parse(out), lines(stub)], [0, ANSWER, ['POST /can']]);
      assert.deepEqual(JSON.parse(stub.asked[0]?.body ?? ''), question);
      assert.equal(err, 'warning: q opens nothing\n');
    });
  }

  it('shows both sides in a table; a deny is an answer of exit code 1', async (t) => {
    const stub = await startStub(t, () => ({ body: { ...ANSWER, decision: 'Deny', decidedBy: null, reason: 'no policy allows it' } }));
    const { code, out } = await meridianctl(['can', '--from', 'spiffe://td', '--to', 'web', '--url', stub.url]);
    assert.equal(code, 1);
    assert.deepEqual(
      out.split('\n').map((line) => line.split(/ {3,}/)),
      [['SIDE', 'DECISION', 'DECIDED BY', 'BECAUSE'], ['enforced', 'Deny', '-', 'no policy allows it'], ['shadow', 'Deny', '-', '-'], ['']],
    );
  });

  it('does not call enforced what nobody asks', async (t) => {
    const reason = 'not enforced: its listeners are its own, so nobody asks what the policies say';
    const stub = await startStub(t, () => ({ body: { ...ANSWER, enforced: false, decidedBy: null, reason } }));
    const { code, out } = await meridianctl(['can', '--from', 'spiffe://td', '--to', 'web', '--url', stub.url]);
    assert.equal(code, 3);
    assert.match(out, /^not enforced +\(Allow\) +- +not enforced: its listeners are its own/m);
    assert.doesNotMatch(out, /^enforced/m);
  });

  it('fails when the control plane refuses', async (t) => {
    const body = { title: 'Could not decide', detail: 'Not found', status: 404 };
    const stub = await startStub(t, () => ({ status: 404, body }));
    const { code, err } = await meridianctl(['can', '--from', 'spiffe://td', '--to', 'web', '--url', stub.url]);
    assert.deepEqual([code, err], [1, `error: Could not decide: Not found\n${HINT}`]);
  });

  const wrong: [title: string, args: string[], message: RegExp][] = [
    ['nobody', ['--to', 'web'], /either --from or --tags/],
    ['both', ['--to', 'web', '--from', 'a', '--tags', 'a=b'], /either --from or --tags/],
    ['no proxy', ['--from', 'a'], /--to/],
    ['an empty port', ['--from', 'a', '--to', 'web:'], /DATAPLANE:PORT/],
    ['tags without a value', ['--tags', 'a', '--to', 'web'], /--tags must be like/],
  ];
  for (const [title, args, message] of wrong) {
    it(`is wrong usage with ${title}`, async () => {
      const { code, err } = await meridianctl(['can', ...args]);
      assert.equal(code, 2);
      assert.match(err, message);
    });
  }

  it('asks all questions of a file at once, and ends as the worst of them', async (t) => {
    const questions = [
      { from: { spiffeId: 'spiffe://td/a' }, to: { dataplane: 'web', port: 8080 } },
      { from: { spiffeIds: [] }, to: { mesh: 'n', dataplane: 'db' } },
    ];
    const error = { title: 'Could not decide', detail: 'Not found', status: 404 };
    const cases: [answers: object[], code: number][] = [
      [[{ verdict: { ...ANSWER, enforced: true } }, { verdict: { ...ANSWER, enforced: true, warnings: [] } }], 0],
      [[{ verdict: { ...ANSWER, enforced: false } }, { verdict: { ...ANSWER, enforced: true } }], 3],
      [[{ verdict: { ...ANSWER, enforced: false } }, { verdict: { ...ANSWER, decision: 'Deny' } }], 1],
      [[{ verdict: { ...ANSWER, enforced: true } }, { error }], 1],
    ];
    for (const [answers, code] of cases) {
      const stub = await startStub(t, () => ({ body: { answers } }));
      const done = await meridianctl(['can', '-f', '-', '-m', 'm', '--url', stub.url], { input: JSON.stringify({ questions }) });
      assert.deepEqual([done.code, lines(stub)], [code, ['POST /can/many']], done.err);
      const [first, second] = questions;
      const sent = { questions: [{ ...first, to: { mesh: 'm', ...first?.to } }, second] };
      assert.deepEqual(JSON.parse(stub.asked[0]?.body ?? ''), sent);
      assert.match(done.err, /^warning: question 1: q opens nothing\n/);
      assert.match(done.out, /^spiffe:\/\/td\/a +web:8080 /m);
      assert.match(done.out, /^no certificate +db .*(Allow|Deny|error)/m);
    }
  });

  it('takes one question or a file of them', async () => {
    for (const [args, told] of [
      [['-f', '-', '--to', 'web'], /--to asks one question: leave it out beside -f/],
      [['--from', 'spiffe://td/a'], /required option '--to/],
    ] as const) {
      const { code, err } = await meridianctl(['can', ...args], { input: '[]' });
      assert.equal(code, 2);
      assert.match(err, told);
    }
  });
});
