import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { parseDocuments } from '../../../src/resource/documents/parse-documents.ts';
import { apiOf, newWorld } from '../../../test/api/harness.ts';
import { Scope } from '../../../test/harness/scope.ts';
import { forge } from '../../../test/scenario/forge.ts';
import { serve } from '../../../test/harness/live-meridianctl.ts';
import { writeDocuments } from '../../../test/harness/write-drafts.ts';

const scope = new Scope();
after(() => scope.close());

const SPEC = { to: [{ targetRef: { kind: 'Mesh' }, default: { idleTimeout: '1s' } }] };

describe('what another zone refused', () => {
  it('is in the ledger of global with its reason and its age, beside what was applied', async () => {
    const world = newWorld();
    writeDocuments(world.global.plane, parseDocuments(JSON.stringify({ type: 'MeshTimeout', name: 'known', spec: SPEC })));
    // A newer global, which has a role that the zones don't know.
    forge(world.global, [
      {
        key: ['MeshTimeout', 'default', '', '', 'later'],
        labels: {},
        spec: SPEC,
        assigned: { name: 'later-x', role: 'dictator', references: [] },
      },
    ]);
    world.global.write(() => undefined);
    world.run(10_000);
    const global = await serve(scope, apiOf(scope, world.global));
    const { out } = await global.run('ledger mt --peer west -o json');
    const { items } = JSON.parse(out) as { items: { name: string; state: string; reason?: string; since?: string }[] };
    assert.deepEqual(items.map(({ name, state }) => `${name} ${state}`).sort(), ['known applied', 'later refused']);
    const refused = items.find(({ name }) => name === 'later');
    assert.match(refused?.reason ?? '', /dictator/);
    assert.ok(!Number.isNaN(Date.parse(refused?.since ?? '')));
    const table = await global.run('ledger mt later --peer west');
    const [heading, row] = table.out.split('\n').map((line) => line.split(/ {3,}/));
    assert.deepEqual(heading?.slice(5), ['PEER', 'STATE', 'SINCE', 'REASON']);
    assert.deepEqual(row?.slice(0, 7), ['MeshTimeout', 'default', 'later', '-', 'global', 'west', 'refused']);
    assert.match(row?.[7] ?? '', /^\d+[dhms]$/);
    assert.match(row?.[8] ?? '', /dictator/);
  });
});
