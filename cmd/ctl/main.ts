#!/usr/bin/env node
import { tellFailure } from './terminal/failure.ts';
import { optionsOf } from './input/options.ts';
import { createProgram } from './program.ts';

/** Whoever reads the output may have seen enough (`| head`). */
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const program = createProgram();
try {
  await program.parseAsync();
} catch (thrown) {
  process.exitCode = tellFailure(thrown, optionsOf(program).output);
}
