import { reasonOf } from '../use-loaded.ts';
import { useState } from 'preact/hooks';
import { post } from '../api.ts';
import { type ApiCondition, conditionText } from '../matrix/words.ts';
import { Problem } from '../problem.tsx';
import { displayName } from '../resources/kri.ts';
import { Table } from '../table.tsx';

interface DryRunAnswer {
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
  readonly kind: 'identity' | 'prefix' | 'sans' | 'dataplanes' | 'other' | 'plaintext';
  readonly spiffeId?: string;
  readonly sans?: readonly string[];
  readonly set?: number;
}

interface ApiVerdict {
  readonly decision: string;
  readonly shadow: string;
}

/** What a permission needs to be tried as one that is not enforced. */
interface TriedPolicy {
  readonly labels?: Readonly<Record<string, string>>;
}

/** Callers or inbounds that a line names. */
const NAMED = 3;

/** On demand, whose verdicts a permission decides: those that a dry run of it as a shadow policy would change. */
export function Effect({ policy }: { policy: TriedPolicy }) {
  const [found, setFound] = useState<DryRunAnswer>();
  const [problem, setProblem] = useState('');
  const look = async (): Promise<void> => {
    try {
      const tried = { ...policy, labels: { ...policy.labels, 'kuma.io/effect': 'shadow' } };
      setFound(await post<DryRunAnswer>('/apply?dryRun=true', tried));
      setProblem('');
    } catch (thrown) {
      setProblem(reasonOf(thrown));
    }
  };
  return (
    <section aria-labelledby="effect">
      <h2 id="effect">Its effect</h2>
      <p>
        <button type="button" onClick={() => void look()}>
          Look whose verdicts it decides
        </button>{' '}
        <span class="hint">A dry run: nothing is changed.</span>
      </p>
      <Problem text={problem || (found?.incomplete ?? '')} />
      {found?.changes.length === 0 && <p>Nobody: without it, every verdict would be the same.</p>}
      {found && found.changes.length > 0 && <Changes found={found} />}
    </section>
  );
}

function Changes({ found: { changes, callerSets } }: { found: DryRunAnswer }) {
  const rows = changes.flatMap(({ inbounds, callers }) =>
    callers.flatMap(({ from, verdicts }) =>
      verdicts.map(({ when = {}, before, after }) => [
        some(from.flatMap((one) => callerNames(one, callerSets))),
        some(inbounds.map(({ kri, inbound }) => `${displayName(kri)}:${inbound}`)),
        conditionText(when) || 'any request',
        verdictText(before),
        verdictText(after),
      ]),
    ),
  );
  return (
    <Table headings={['Callers', 'At', 'Requests', 'With it', 'Without it']}>
      {rows.map((cells) => (
        <tr key={cells.join()}>
          {cells.map((text, index) => (
            <td key={index}>{text}</td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

function callerNames({ kind, spiffeId = '', sans = [], set = -1 }: ChangedCaller, sets: DryRunAnswer['callerSets']): string[] {
  switch (kind) {
    case 'identity':
      return [spiffeId];
    case 'prefix':
      return [`all below ${spiffeId}`];
    case 'sans':
      return [sans.join(' ')];
    case 'dataplanes':
      return sets[set]?.dataplanes.map((kri) => `proxy ${displayName(kri)}`) ?? [];
    case 'other':
      return ['everybody else'];
    case 'plaintext':
      return ['whoever comes in plain text'];
  }
}

function some(names: readonly string[]): string {
  const distinct = [...new Set(names)];
  const more = distinct.length - NAMED;
  return `${distinct.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function verdictText({ decision, shadow }: ApiVerdict): string {
  return shadow === decision ? decision : `${decision}, in shadow ${shadow}`;
}
