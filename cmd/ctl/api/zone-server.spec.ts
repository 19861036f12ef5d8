import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { lines, meridianctl, startStub, type Stub } from '../../../test/harness/meridianctl.ts';
import { Scope } from '../../../test/harness/scope.ts';

const scope = new Scope();
after(() => scope.close());

/** A control plane that says where it stands, and has nothing. */
function startPlane(t: TestContext, zone: string): Promise<Stub> {
  const place = zone === '' ? { mode: 'global' } : { mode: 'zone', multizone: { zone: { name: zone } } };
  const config = { ...place, environment: 'universal' };
  return startStub(t, ({ path }) => ({ body: path === '/config' ? config : { total: 0, items: [], next: null } }));
}

/** A file of contexts, and `meridianctl` with it. */
function withContexts(contexts: object) {
  const folder = scope.folder();
  const file = join(folder, 'config');
  writeFileSync(file, JSON.stringify(contexts), { mode: 0o600 });
  writeFileSync(join(folder, 'token'), 'of-the-file');
  const run = (args: string, env: Readonly<Record<string, string>> = {}) =>
    meridianctl(args.replace('TOKEN', join(folder, 'token')).split(' '), { env: { MERIDIAN_CONFIG: file, ...env } });
  return { run, read: () => JSON.parse(readFileSync(file, 'utf8')) as unknown };
}

describe('--zone', { concurrency: 2 }, () => {
  it('asks the zone of the current global, with the token of its own context and no other', async (t) => {
    const [global, east, other] = [await startPlane(t, ''), await startPlane(t, 'east'), await startPlane(t, 'east')];
    const { run } = withContexts({
      current: 'prod',
      controlPlanes: [
        { name: 'prod', address: global.url, token: 'of-global' },
        { name: 'staging-east', address: other.url, token: 'of-staging', zone: 'east', zoneOf: 'staging' },
        { name: 'prod-east', address: east.url, token: 'of-east', zone: 'east', zoneOf: 'prod' },
        { name: 'staging', address: global.url },
      ],
    });
    assert.equal((await run('get mt --zone east')).code, 0);
    await run('get mt --zone east', { MERIDIAN_TOKEN: 'of-the-variable' });
    await run('ledger --zone east --context prod', { MERIDIAN_URL: global.url });
    await run('get mt --zone east --context prod-east --token-file TOKEN');
    assert.deepEqual(
      east.asked.map(({ authorization }) => authorization),
      ['Bearer of-east', 'Bearer of-east', 'Bearer of-east', 'Bearer of-the-file'],
    );
    await run('get mt --zone east --context staging');
    assert.deepEqual([other.asked[0]?.authorization, lines(global)], ['Bearer of-staging', []]);
  });

  const east = { name: 'prod-east', address: 'http://192.0.2.1:5681', token: 'secret', zone: 'east', zoneOf: 'prod' };
  const west = { name: 'w', address: 'http://127.0.0.1:1', zone: 'west', zoneOf: 'prod' };
  const contexts = { current: 'prod', controlPlanes: [{ name: 'prod', address: 'http://127.0.0.1:1' }, east, west] };
  const refused: [title: string, args: string, code: number, err: RegExp, env?: Record<string, string>][] = [
    ['an unknown zone', 'get mt --zone north', 1, /no context says where zone north of prod is\nhint: add it: `.* --zone-of prod`/],
    ['one that is near', 'get mt --zone wset', 1, /zone wset of prod is\nhint: did you mean --zone west\?/],
    ['no name', 'get mt --zone=', 1, /no context says where zone/],
    ['a zone that does not answer', 'status --zone west', 1, /no control plane answers at http:\/\/127\.0\.0\.1:1/],
    ['a way that is not safe for the token', 'get mt --zone east', 1, /a token is not sent to http:\/\/192\.0\.2\.1:5681/],
    ['an address beside', 'get mt --zone east --url http://127.0.0.1:1', 2, /say which global with --context/],
    ['an address in a variable', 'get mt --zone east', 2, /say which global with --context/, { MERIDIAN_URL: 'http://127.0.0.1:1' }],
    ['an unknown global', 'get mt --zone east --context nope', 1, /there is no context nope/],
    ['a command that writes', 'delete mt a --zone east --yes', 2, /unknown option '--zone'/],
  ];
  for (const [title, args, code, err, env] of refused) {
    it(`refuses ${title}`, async () => {
      const ended = await withContexts(contexts).run(args, env);
      assert.deepEqual([ended.code, ended.out], [code, ''], ended.err);
      assert.match(ended.err, err);
    });
  }

  it('has a hint where no control plane is current', async () => {
    const { code, err } = await withContexts({ controlPlanes: [west] }).run('get mt --zone west');
    assert.equal(code, 1);
    assert.match(err, /no control plane is current in .*\nhint: add the global first/);
  });

  it('is prepared by `config control-planes add --zone-of`, which asks the zone for its name', async (t) => {
    const [global, zone] = [await startPlane(t, ''), await startPlane(t, 'east')];
    const { run, read } = withContexts({ current: 'prod', controlPlanes: [{ name: 'prod', address: global.url }] });
    const add = (name: string, address: string, more = '') =>
      run(`config control-planes add --name ${name} --address ${address} --zone-of prod${more}`);
    assert.equal((await add('e', zone.url)).out, 'added control plane e\n');
    const controlPlanes = [
      { name: 'prod', address: global.url },
      { name: 'e', address: zone.url, zone: 'east', zoneOf: 'prod' },
    ];
    assert.deepEqual(read(), { current: 'prod', controlPlanes });
    for (const [answer, expected] of [
      [await add('f', zone.url), /zone east of prod is the control plane e already/],
      [await add('g', global.url), /a global answers at/],
      [await add('prod', zone.url, ' --overwrite'), /prod is a zone itself/],
      [await add('h', zone.url, ' --skip-check'), /leave out --skip-check/],
      [await run(`config control-planes add --name i --address ${zone.url} --zone-of e`), /e is a zone itself/],
      [await run(`config control-planes add --name i --address ${zone.url} --zone-of nope`), /there is no control plane nope/],
    ] as const) {
      assert.notEqual(answer.code, 0);
      assert.match(answer.err, expected);
    }
    assert.deepEqual(read(), { current: 'prod', controlPlanes });
    assert.match((await run('config control-planes list')).out, /^- +e +\S+ +east +prod$/m);
  });
});
