import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Permission } from '../../policy/decide/read-permissions.ts';
import { STRICT } from '../../policy/mesh-tls.ts';
import type { JsonObject } from '../../resource/resource.ts';
import { readMtp } from '../../resource/permission.ts';
import { type CompileInput, ProxyCompiler } from './compile-proxy.ts';
import { SharedRbac } from './shared-rbac.ts';

const allowing = (name: string): Permission => ({
  key: { type: 'MeshTrafficPermission', mesh: 'default', zone: 'east', namespace: 'app', name },
  mtp: readMtp(spec(name)),
  via: undefined,
});

const spec = (name: string): JsonObject => ({
  targetRef: { kind: 'Mesh' },
  rules: [{ default: { allow: [{ spiffeId: { type: 'Exact', value: `spiffe://td/${name}` } }] } }],
});

/** Two inbounds; the permissions of the second as they are asked for. */
const inbounds = (first: readonly string[], second: () => readonly Permission[]): CompileInput[] =>
  ['web', 'admin'].map((name, index) => ({
    place: { name, address: '127.0.0.1', port: 8080 + index, serviceAddress: undefined, servicePort: 80, protocol: 'http' },
    get permissions() {
      return index === 0 ? first.map(allowing) : second();
    },
    callers: undefined,
    services: [],
    plaintext: STRICT,
  }));

it('an inbound that can’t be compiled is shut, holds up no other, and leaves nothing behind: the next rules are those of a new compiler', () => {
  const compiler = new ProxyCompiler(new SharedRbac(), new SharedRbac());
  const before = JSON.stringify(compiler.compile(inbounds(['a', 'b'], () => [allowing('c')])));
  const mtp: Permission['mtp'] = new Proxy(readMtp(spec('x')), {
    get: (target, field) => (field === 'shape' ? target.shape : assert.fail('unreadable')),
  });
  const unreadable: Permission = { ...allowing('x'), mtp };
  const { inbounds: rules, problems } = compiler.compile(inbounds(['a'], () => [allowing('d'), unreadable]));
  assert.deepEqual(problems, ['inbound admin lets nobody in: unreadable']);
  assert.deepEqual([rules[1]?.shut, rules[1]?.rbac, rules[1]?.routes], ['unreadable', { rules: {} }, []]);
  assert.deepEqual(rules[0], new ProxyCompiler(new SharedRbac(), new SharedRbac()).compile(inbounds(['a'], () => [])).inbounds[0]);
  for (const first of [['a', 'b'], ['b', 'd'], []]) {
    const given = inbounds(first, () => [allowing('c')]);
    assert.deepEqual(compiler.compile(given), new ProxyCompiler(new SharedRbac(), new SharedRbac()).compile(given));
  }
  assert.equal(
    before,
    JSON.stringify(new ProxyCompiler(new SharedRbac(), new SharedRbac()).compile(inbounds(['a', 'b'], () => [allowing('c')]))),
  );
});

it('an inbound with too many rules, of many permissions, is shut alone, and says so', () => {
  const many = Array.from({ length: 25_001 }, (_, index) => allowing(`p-${index}`));
  const { inbounds: rules, problems } = new ProxyCompiler(new SharedRbac(), new SharedRbac()).compile(inbounds(['a'], () => many));
  assert.match(problems.join(), /^inbound admin lets nobody in: its rules come to more than 50000: /);
  assert.deepEqual([rules[0]?.shut, rules[1]?.rbac], [undefined, { rules: {} }]);
  assert.equal(new ProxyCompiler(new SharedRbac(), new SharedRbac()).compile(inbounds(['a'], () => many.slice(1))).problems.length, 0);
});
