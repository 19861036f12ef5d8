import { type ImpactAnswer, VerdictChangeTable } from '../impact/verdict-changes.tsx';
import { Problem } from '../problem.tsx';

/** What a dry run says. */
export interface TrialAnswer extends ImpactAnswer {
  readonly results: readonly {
    readonly type: string;
    readonly name: string;
    readonly kri: string;
    readonly outcome: string;
    readonly warnings?: readonly string[];
  }[];
}

/** Results that are listed. */
const SHOWN = 20;

/** What would be written, and whose verdicts would change by it. */
export function Trial({ answer }: { answer: TrialAnswer }) {
  const { results, incomplete = '', changes } = answer;
  return (
    <section aria-labelledby="trial">
      <h2 id="trial" aria-live="polite">
        {changes.length === 0 ? 'No verdict changes' : 'Verdicts change'}
      </h2>
      <Problem text={incomplete} />
      <ul>
        {results.slice(0, SHOWN).map(({ type, name, kri, outcome, warnings = [] }) => (
          <li key={kri}>
            {type} {name}: would be {outcome}
            {warnings.map((warning) => (
              <p key={warning}>{warning}</p>
            ))}
          </li>
        ))}
        {results.length > SHOWN && <li>and {results.length - SHOWN} more</li>}
      </ul>
      {changes.length > 0 && <VerdictChangeTable found={answer} before="Now" after="Then" asChange />}
    </section>
  );
}
