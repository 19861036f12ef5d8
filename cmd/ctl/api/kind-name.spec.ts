import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KINDS } from '../../../src/resource/kinds.ts';
import { parseKindName } from './kind-name.ts';

describe('parseKindName', () => {
  for (const kind of KINDS) {
    it(`knows ${kind.type} by all that it is called`, () => {
      const names = [kind.type, kind.type.toLowerCase(), kind.type.toUpperCase(), kind.path, kind.short, kind.short.toUpperCase()];
      for (const name of names.filter(Boolean)) assert.equal(parseKindName(name), kind, name);
    });
  }

  const wrong: [text: string, message: RegExp][] = [
    ['', /`meridianctl api-resources` lists the kinds/],
    ['nothing-like-it', /`meridianctl api-resources` lists the kinds/],
    ['mtpp', /Did you mean .*mtp/],
    ['mhp', /Did you mean .*mhc/],
    ['MeshTimeuot', /Did you mean MeshTimeout/],
    ['meshtimeoutss', /Did you mean meshtimeouts/],
  ];
  for (const [text, message] of wrong) it(`refuses ${JSON.stringify(text)}`, () => assert.throws(() => parseKindName(text), { message }));
});
