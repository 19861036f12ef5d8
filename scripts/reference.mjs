// Writes the reference pages that are generated from the code. Run as `node scripts/reference.mjs`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatReference } from '../cmd/ctl/command-reference.ts';
import { createProgram } from '../cmd/ctl/program.ts';
import { ROOT } from './command.mjs';

const folder = join(ROOT, 'docs', 'reference');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'meridianctl.md'), formatReference(createProgram()));
