import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brokenCitations, missingFiles, outsideCitations, readTexts, shortCitations, type CitingText } from './citations.ts';

const texts = readTexts();

/**
 * Each rule with lines that it must refuse, and lines that it must let pass. Put together, so that this file does not
 * hold them itself.
 */
interface CitationProof {
  readonly rule: (text: CitingText) => string[];
  readonly refuses: readonly string[];
  readonly passes: readonly string[];
}

const [design, seed, section] = [['de', 'sign'].join(''), ['se', 'ed'].join(''), ['sec', 'tion'].join('')];
const docs = ['do', 'cs'].join('');

const PROOFS: Record<string, CitationProof> = {
  'what is cited of docs/ is there': {
    rule: brokenCitations,
    refuses: [
      `(${docs}/design/none.md)`,
      `(${docs}/design/none.md#order)`,
      `(${docs}/design/matching.md#none)`,
      `${docs}/design/matching.md#`,
    ],
    passes: ['docs/design/matching.md#order', 'see docs/protocol.md.', 'docs/decisions/*.md'],
  },
  'pages are cited from the root': {
    rule: shortCitations,
    refuses: ['// (matching.md#order)', ' * (design/matching.md#order)'],
    passes: ['// docs/design/matching.md#order', '// README.md', "const link = 'quick-start.md#none';"],
  },
  'files that comments name are there': {
    rule: missingFiles,
    refuses: ['// see src/none.ts', ' * (reference/none.tsv)', '/** As in test/none/none.json. */'],
    passes: ['// see src/errors.ts', "import x from './src/none.ts';", ' * test/scenarios/*/scenario.yaml'],
  },
  'nothing outside the repository is cited': {
    rule: outsideCitations,
    refuses: [
      `(${design}, ${section} 5)`,
      `${design}.md, ${section}s 1 and 3`,
      `(${design}: strict)`,
      `in ${section} 4`,
      `the namespace ${seed}`,
      `first MTP ${seed}`,
      `(${seed} "Attribute Table")`,
      `the ${seed}'s order`,
      `what the ${seed} prints`,
      ` * ends (namespace\n * ${seed}, "Validation")`,
    ],
    passes: ['whatever the seed', 'from(seed)', 'by design', 'docs/design/sources.md#namespace, "Validation"', 'RFC 9110, section 8.8'],
  },
};

for (const [name, { rule, refuses, passes }] of Object.entries(PROOFS)) {
  describe(name, () => {
    it('holds', () => {
      assert.ok(texts.length > 600, `${texts.length} files are found`);
      assert.deepEqual(texts.flatMap(rule), []);
    });
    it('can fail', () => {
      for (const text of refuses) assert.equal(rule({ path: 'src/a.ts', text }).length > 0, true, text);
      for (const text of passes) assert.deepEqual(rule({ path: 'src/a.ts', text }), [], text);
    });
  });
}

it('the design is cited all over the code', () => {
  const citing = texts.filter(({ path, text }) => path.startsWith('src/') && /docs\/design\/\w+\.md#/.test(text));
  assert.ok(citing.length > 60, `${citing.length} files cite it`);
});
