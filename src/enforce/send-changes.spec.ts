import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProxyRules } from '../control/enforce/proxy-rules.ts';
import { nodeId, type ProxyId } from '../xds/server/proxy-id.ts';
import { sendChanges, type ToldRules } from './send-changes.ts';

const proxy = (name: string, mesh = 'default'): ProxyId => ({ mesh, name });
const rules = (...warnings: string[]): ProxyRules => ({ inbounds: [], problems: [], warnings });

/** What a commit leads to, with these proxies connected; `throws`: of this mesh nothing can be worked out. */
function commit(connected: readonly ProxyId[], now: ToldRules, told: ToldRules, throws?: string) {
  const [changed, asked]: [string[], string[]] = [[], []];
  const rulesIn = (mesh: string) => {
    asked.push(mesh);
    if (mesh === throws) throw new Error('a disk that can not be read');
    return (name: string) => now.get(nodeId({ mesh, name }));
  };
  const xds = { connected: () => [...connected], changed: (one?: ProxyId) => void changed.push(one ? nodeId(one) : 'all') };
  const after = sendChanges(xds, { rulesIn }, told);
  return { changed, asked, after };
}

const [a, b, c] = [proxy('a'), proxy('b'), proxy('c', 'other')];
const [ofA, ofB, ofC] = [rules('a'), rules('b'), rules('c')];
const NOW: ToldRules = new Map([
  [nodeId(a), ofA],
  [nodeId(b), ofB],
  [nodeId(c), ofC],
]);

test('only connected proxies are told, and a mesh is asked for once', () => {
  const { changed, asked, after } = commit([a, b], NOW, new Map());
  assert.deepEqual(changed, [nodeId(a), nodeId(b)]);
  assert.deepEqual(asked, ['default']);
  assert.deepEqual([...after.keys()], [nodeId(a), nodeId(b)]);
});

test('only those whose rules are other ones are told', () => {
  assert.deepEqual(commit([a, b, c], NOW, NOW).changed, []);
  assert.deepEqual(commit([a, b, c], NOW, new Map([...NOW, [nodeId(b), rules('b')]])).changed, [nodeId(b)]);
});

test('who went and came back is told again', () => {
  const { after } = commit([b], NOW, NOW);
  assert.deepEqual(commit([a, b], NOW, after).changed, [nodeId(a)]);
});

test('who has no rules, or none that can be worked out, is always told: the snapshot shows why', () => {
  const without: ToldRules = new Map([[nodeId(b), ofB]]);
  assert.deepEqual(commit([a, b], without, without).changed, [nodeId(a)]);
  const { changed, after } = commit([a, c], NOW, NOW, 'default');
  assert.deepEqual(changed, [nodeId(a)]);
  assert.deepEqual([after.get(nodeId(a)), after.get(nodeId(c))], [undefined, ofC], 'one mesh that can not be read holds up no other');
});
