import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { Scope } from '../harness/scope.ts';
import { readPage, ROOT } from './markdown.ts';
import { writeDocker } from './play-docker.ts';
import { play, startBash } from './play.ts';

/** ms */
const PATIENCE = 60_000;

// Each service has an address of 127/8 of its own, which only Linux has without further ado.
it('compose/two-zones/README.md, as plain processes', { skip: process.platform !== 'linux' && 'not Linux' }, async () => {
  const scope = new Scope();
  try {
    const [root, bin] = [scope.folder(), scope.folder()];
    const folder = join(root, 'two-zones');
    mkdirSync(folder);
    symlinkSync(join(ROOT, 'compose/policies'), join(root, 'policies'));
    await writeDocker(scope, bin, 'two-zones', folder);
    await play(readPage('compose/two-zones/README.md'), startBash(scope, folder, bin), PATIENCE);
  } finally {
    await scope.close();
  }
});
