import assert from 'node:assert/strict';
import { it } from 'node:test';
import { EAST, forAll, keyOf, newGlobal, newZone } from '../../../test/harness/control-planes.ts';
import { dataplane } from '../../../test/harness/random-commits.ts';
import { watchCommits } from '../plane/watch-commits.ts';
import { writeDrafts } from '../../../test/harness/write-drafts.ts';
import { keepBeside, warningsInParts } from './write-warnings.ts';

it('what labels may mean is read a proxy at a time, with what is written meanwhile, and not again', () => {
  const { plane } = watchCommits(newZone(EAST, newGlobal(EAST)), () => {});
  const proxy = (name: string, app: string) => ({ ...dataplane('a', 0), name, labels: { app } });
  writeDrafts(
    plane,
    Array.from({ length: 300 }, (_, index) => proxy(`p${index}`, 'web')),
  );
  const policy = (app: string) => ({
    ...proxy('all', ''),
    ...forAll(app, { spec: { targetRef: { kind: 'Dataplane', labels: { app } }, to: [] } }),
    namespace: undefined,
    labels: {},
  });
  const [late, nope] = [policy('late'), policy('nope')];
  writeDrafts(plane, [late, nope]);
  const beside = keepBeside(plane);
  const run = (draft: typeof late, meanwhile: (step: number) => void) => {
    const parts = warningsInParts(plane, [keyOf({ ...draft, namespace: plane.place.systemNamespace }, 'east')], beside);
    for (let count = 1; ; count++) {
      const step = parts.next();
      if (step.done) return { count, warnings: step.value.flat() };
      meanwhile(count);
    }
  };
  const first = run(late, (step) => step === 299 && writeDrafts(plane, [proxy('a0', 'late')]));
  assert.ok(first.count > 300, `${first.count} steps`);
  assert.doesNotMatch(first.warnings.join(), /no Dataplane/);
  const second = run(nope, () => {});
  assert.ok(second.count <= 2, `${second.count} steps`);
  assert.match(second.warnings.join(), /no Dataplane that it reaches has the labels app=nope/);
});
