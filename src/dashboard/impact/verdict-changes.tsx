import { type ApiCondition, type CallerKind, callerWords, conditionText } from '../matrix/words.ts';
import { displayName } from '../resources/kri.ts';
import { Table } from '../table.tsx';

/** Whose verdicts would change, as `POST /apply?dryRun=true` says it. */
export interface ImpactAnswer {
  readonly incomplete?: string;
  readonly changes: readonly {
    readonly inbounds: readonly { readonly kri: string; readonly inbound: string }[];
    readonly callers: readonly {
      readonly from: readonly ChangedCaller[];
      readonly verdicts: readonly { readonly when?: ApiCondition; readonly before: ApiVerdict; readonly after: ApiVerdict }[];
    }[];
  }[];
  readonly callerSets: readonly { readonly dataplanes: readonly string[] }[];
}

interface ChangedCaller {
  readonly kind: CallerKind;
  readonly spiffeId?: string;
  readonly sans?: readonly string[];
  readonly set?: number;
  readonly except?: readonly { readonly kind: 'identity' | 'prefix'; readonly spiffeId: string }[];
}

interface ApiVerdict {
  readonly decision: 'Allow' | 'Deny';
  readonly shadow: 'Allow' | 'Deny';
}

/** Callers or inbounds that a line names, and lines that are shown. */
const NAMED = 3;
const SHOWN = 100;

/** `What`: in words, what the change means for the callers. */
const WHAT = 'What';

/**
 * A line for each kind of request that is decided about otherwise. `before` and `after` head the two verdicts; with
 * `asChange` each line begins with what it means for the callers.
 */
export function VerdictChangeTable(props: { found: ImpactAnswer; before: string; after: string; asChange?: boolean }) {
  const { found, before, after, asChange = false } = props;
  const lines = linesOf(found);
  return (
    <>
      {asChange && <p>{countText(lines)}</p>}
      <Table headings={[...(asChange ? [WHAT] : []), 'Callers', 'At', 'Requests', before, after]}>
        {lines.slice(0, SHOWN).map((line, index) => (
          <tr key={index}>
            {asChange && <td class={`meaning-${line.means}`}>{MEANINGS[line.means]}</td>}
            <td>{line.callers}</td>
            <td>{line.at}</td>
            <td>{line.requests}</td>
            <td>{verdictText(line.before)}</td>
            <td>{verdictText(line.after)}</td>
          </tr>
        ))}
      </Table>
      {lines.length > SHOWN && <p class="hint">and {(lines.length - SHOWN).toLocaleString('en')} lines more</p>}
    </>
  );
}

/** What a change means for those whom it is about. */
type ChangeMeaning = 'lose' | 'gain' | 'shadow';

const MEANINGS: Readonly<Record<ChangeMeaning, string>> = {
  lose: '− lose access',
  gain: '+ gain access',
  shadow: 'in shadow alone',
};

interface ChangeLine {
  readonly means: ChangeMeaning;
  readonly callers: string;
  readonly at: string;
  readonly requests: string;
  readonly before: ApiVerdict;
  readonly after: ApiVerdict;
}

function linesOf({ changes, callerSets }: ImpactAnswer): ChangeLine[] {
  return changes.flatMap(({ inbounds, callers }) =>
    callers.flatMap(({ from, verdicts }) =>
      verdicts.map(({ when = {}, before, after }) => ({
        means: meaningOf(before, after),
        callers: some(from.flatMap((one) => namesOf(one, callerSets))),
        at: some(inbounds.map(({ kri, inbound }) => `${displayName(kri)}:${inbound}`)),
        requests: conditionText(when) || 'any request',
        before,
        after,
      })),
    ),
  );
}

function meaningOf(before: ApiVerdict, after: ApiVerdict): ChangeMeaning {
  if (before.decision === after.decision) return 'shadow';
  return after.decision === 'Deny' ? 'lose' : 'gain';
}

/** `Access is lost in 2 lines and gained in 1.` */
function countText(lines: readonly ChangeLine[]): string {
  const count = (wanted: ChangeMeaning): number => lines.filter(({ means }) => means === wanted).length;
  const [lost, gained, shadow] = [count('lose'), count('gain'), count('shadow')];
  const inLines = (many: number): string => `${many.toLocaleString('en')} ${many === 1 ? 'line' : 'lines'}`;
  const parts = [
    lost > 0 && `some lose access (${inLines(lost)})`,
    gained > 0 && `some gain access (${inLines(gained)})`,
    shadow > 0 && `the shadow says otherwise (${inLines(shadow)})`,
  ].filter((part) => typeof part === 'string');
  const text = parts.join(', ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function namesOf({ kind, spiffeId = '', sans = [], set = -1, except = [] }: ChangedCaller, sets: ImpactAnswer['callerSets']): string[] {
  if (kind === 'dataplanes') return sets[set]?.dataplanes.map((kri) => `proxy ${displayName(kri)}`) ?? [];
  const but = except.map((one) => callerWords(one.kind, one.spiffeId));
  const who = callerWords(kind, kind === 'sans' ? sans.join(' ') : spiffeId);
  return [but.length === 0 ? who : `${who} but ${some(but)}`];
}

function some(names: readonly string[]): string {
  const distinct = [...new Set(names)];
  const more = distinct.length - NAMED;
  return `${distinct.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function verdictText({ decision, shadow }: ApiVerdict): string {
  return shadow === decision ? decision : `${decision}, in shadow ${shadow}`;
}
