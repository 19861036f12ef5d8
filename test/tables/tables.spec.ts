import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import stringWidth from 'string-width';
import { surroundings } from '../harness/meridianctl.ts';

/**
 * Every table of `meridianctl` on terminals of 80, 120 and 200 columns, as it is printed. After a change that is meant:
 *
 *   TABLES=write node --test test/tables/tables.spec.ts, and read the difference
 */
const WRITE = process.env.TABLES === 'write';
const PROGRAM = fileURLToPath(new URL('./print-tables.ts', import.meta.url));

describe('every table', () => {
  let tables: Readonly<Record<string, string>> = {};
  before(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM], { env: surroundings(), maxBuffer: 16 * 1024 * 1024 });
    tables = JSON.parse(stdout) as Record<string, string>;
  });

  for (const width of [80, 120, 200]) {
    it(`is as it was at ${width} columns`, () => {
      const golden = new URL(`./${width}.txt`, import.meta.url);
      const printed = tables[width] ?? '';
      if (WRITE) writeFileSync(golden, printed);
      assert.equal(printed, readFileSync(golden, 'utf8'));
    });

    it(`fits ${width} columns, but for -o wide and what is no table, and cuts no name`, () => {
      const texts = (tables[width] ?? '').split('\n$ meridianctl ').filter((text) => !/^(\$ )?\S* ?(describe|lint|get mtp -o)/.test(text));
      for (const line of texts
        .join('\n')
        .split('\n')
        .filter((text) => !text.startsWith('refused of ')))
        assert.ok(stringWidth(line) <= width, line);
      const name = 'allow-the-frontend-and-nobody-else-x27ddd6vx7vd4749';
      assert.ok((tables[width] ?? '').includes(name));
    });
  }
});
