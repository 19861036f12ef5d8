import type { Command } from 'commander';
import { MeridianError } from '../../../src/errors.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import { type LocatedDocument, namesOf, readSome } from '../documents/locate-document.ts';
import { sendDocuments } from '../documents/send-documents.ts';
import { REFUSED } from '../terminal/failure.ts';
import { collect, isGiven, optionsOf } from '../input/options.ts';
import { note, print } from '../terminal/output.ts';
import { placeOf } from '../api/server-place.ts';
import { printable, textOf } from '../terminal/printable.ts';
import { withProgress } from '../terminal/progress.ts';
import { type Server, serverOf } from '../api/server-address.ts';
import { type Cell, type Colour, type TableLayout, context, formatTable, wraps } from '../terminal/table.ts';
import type { DocumentJudgement } from './judge-document.ts';

interface ImportOptions {
  readonly file: readonly string[];
  readonly dryRun?: true;
  readonly partial?: true;
  readonly acceptLostLabels?: true;
  readonly systemNamespace: string;
}

interface JudgedDocument {
  readonly document: LocatedDocument;
  readonly judgement: DocumentJudgement;
}

/** A line of the report. */
interface ImportRow {
  readonly type: string;
  readonly mesh: string;
  readonly name: string;
  /** created, changed, unchanged, skipped, must be converted, refused, or not applied (because of others). */
  readonly result: string;
  readonly reason: string | null;
}

const COLOURS: Readonly<Record<string, Colour>> = {
  created: 'green',
  changed: 'green',
  'must be converted': 'red',
  refused: 'red',
  'not applied': 'yellow',
};

const HELP = `
  kumactl export --profile federation-with-policies > kuma.yaml && meridianctl import -f kuma.yaml --dry-run
Reports, secrets, zone proxies, and what belongs to other control planes are skipped; that loses nothing. What Meridian has no such kind for (the
policies of before targetRef) must be said anew: then nothing at all is applied, and the exit code is 1, unless --partial. Leaving out a
TrafficPermission never opens anything: what nobody allows is denied.
Where two policies decide otherwise than in Kuma, since another one of them has the last word here, the pair is named (\`turned\` in JSON).
What is applied is applied all or nothing, without the labels that Kuma computed.
kumactl's --format kubernetes leaves out the labels of users: a policy with kuma.io/effect: shadow would come out enforced, and what selects by labels
would select nothing. Such documents are refused: export with --format universal. --accept-lost-labels is for those whose labels are known to be whole.`;

export function addImport(program: Command): void {
  program
    .command('import')
    .summary('take over what the real kumactl exported')
    .description('Applies an export of the real kumactl, in either format, and says for each document what became of it.')
    .requiredOption('-f, --file <paths...>', 'files, folders or - (repeatable)', collect)
    .option('--dry-run', 'say what would happen, and change nothing')
    .option('--partial', 'apply the rest although some documents must be converted first')
    .option('--accept-lost-labels', "take documents in the Kubernetes format, which kumactl writes without users' labels")
    .option('--system-namespace <namespace>', 'that of the Kuma which was exported', 'kuma-system')
    .addHelpText('after', HELP)
    .action(importDocuments);
}

async function importDocuments(options: ImportOptions, command: Command): Promise<void> {
  const { file, dryRun, partial, acceptLostLabels, systemNamespace } = options;
  if (isGiven(command, 'mesh')) command.error('error: import takes the mesh from the documents: leave -m out');
  // Loaded here: no other command needs every schema, and they are a tenth of a start.
  const [{ judge }, { turnedPairs }] = await Promise.all([import('./judge-document.ts'), import('./turned-pairs.ts')]);
  const documents = await readSome(file);
  const server = serverOf(command);
  const place = await placeOf(server);
  const judged = documents.map((document) => ({ document, judgement: judge(document.value, place, systemNamespace) }));
  if (!acceptLostLabels) refuseLostLabels(judged);
  const open = judged.filter(({ judgement }) => judgement.verdict === 'convert').length;
  const refused = open > 0 && !partial;
  const outcomes = refused ? [] : await applyAll(server, judged, dryRun === true, command);
  const results = toRows(judged, outcomes);
  const turned = turnedPairs(
    judged.flatMap(({ judgement }) => (judgement.verdict === 'apply' ? [judgement.value] : [])),
    place,
  );
  await print(optionsOf(command), { dryRun: dryRun === true, applied: !refused && !dryRun, results, turned }, (paper) =>
    formatRows(results, paper),
  );
  for (const { type, mesh, kuma, here } of turned) {
    note(
      `${type} ${here} has the last word over ${kuma} here, in mesh ${mesh}: in Kuma ${kuma} has it where both select a proxy. A Dataplane by name is more specific than a bare one`,
    );
  }
  if (!refused) return tellRefused(judged);
  note(
    `nothing was applied: ${open} ${open === 1 ? 'document' : 'documents'} must be converted first; --partial applies the others without them`,
  );
  process.exitCode = REFUSED;
}

/** What is refused alone; the rest was applied. */
function tellRefused(judged: readonly JudgedDocument[]): void {
  const count = judged.filter(({ judgement }) => judgement.verdict === 'refuse').length;
  if (count === 0) return;
  note(
    `${count} ${count === 1 ? 'proxy is' : 'proxies are'} left out, for the reasons above: until they are corrected and applied, they are served nothing`,
  );
  process.exitCode = REFUSED;
}

const RESULTS = { skip: 'skipped', convert: 'must be converted', refuse: 'refused' } as const;

/** What a label kept from being in force, or made a policy find, can't be told from a document that lost it. */
function refuseLostLabels(judged: readonly JudgedDocument[]): void {
  const lossy = judged.filter(({ judgement }) => judgement.verdict === 'apply' && judgement.value.metadata !== undefined);
  if (lossy.length === 0) return;
  const message = `${lossy.length} documents are in the Kubernetes format, in which kumactl leaves out users' labels (kuma.io/effect among them)`;
  throw new MeridianError('invalid', message, {
    hint: 'export with --format universal, or say --accept-lost-labels if no label is missing',
  });
}

/** The outcome of each document that is applied, in their order. */
async function applyAll(server: Server, judged: readonly JudgedDocument[], dryRun: boolean, command: Command): Promise<string[]> {
  const documents = judged.flatMap(({ document, judgement }) =>
    judgement.verdict === 'apply' ? [{ where: document.where, value: judgement.value }] : [],
  );
  if (documents.length === 0) return [];
  const { results } = await withProgress((progress) => {
    progress.say(`importing ${documents.length} documents`);
    return sendDocuments(server, documents, { dryRun, output: optionsOf(command).output });
  });
  return results.map(({ outcome }) => textOf(outcome));
}

function toRows(judged: readonly JudgedDocument[], outcomes: readonly string[]): ImportRow[] {
  let next = 0;
  return judged.map(({ document, judgement }) => {
    const names = isObject(document.value) ? namesOf(document.value) : { type: '', mesh: '', name: document.where };
    if (judgement.verdict === 'apply') return { ...names, result: outcomes[next++] ?? 'not applied', reason: null };
    return { ...names, result: RESULTS[judgement.verdict], reason: judgement.reason };
  });
}

function formatRows(rows: readonly ImportRow[], paper: TableLayout): string {
  return formatTable(
    ['TYPE', context('MESH'), 'NAME', 'RESULT', wraps('REASON')],
    rows.map(({ type, mesh, name, result, reason }): Cell[] => {
      const colour = COLOURS[result];
      return [type, mesh, name, colour ? { text: result, colour } : result, printable(reason ?? '')];
    }),
    paper,
  );
}
