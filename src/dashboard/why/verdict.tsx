import { post } from '../api.ts';
import { Problem } from '../problem.tsx';
import { ResourceLink } from '../resources/resource-link.tsx';
import { useLoaded } from '../use-loaded.ts';
import { type VerdictQuestion, toBody } from './question.ts';

interface DecisionAnswer {
  readonly enforced: boolean;
  readonly decision: 'Allow' | 'Deny';
  readonly shadow: 'Allow' | 'Deny';
  readonly decidedBy: string | null;
  readonly shadowDecidedBy: string | null;
  readonly reason: string;
  readonly warnings: readonly string[];
}

/** What was decided, by which policy, and whether anybody enforces it. */
export function Verdict({ question }: { question: VerdictQuestion }) {
  const { value, problem } = useLoaded(JSON.stringify(question), () => post<DecisionAnswer>('/can', toBody(question)));
  if (!value) return <Problem text={problem} />;
  const { enforced, decision, shadow, decidedBy, shadowDecidedBy, reason, warnings } = value;
  return (
    <section aria-labelledby="verdict" class={decision === 'Allow' ? 'good' : 'bad'}>
      <h2 id="verdict" aria-live="polite">
        <span class="dot" aria-hidden="true" />
        {decision}
      </h2>
      {!enforced && (
        <p role="note" class="not-enforced">
          Not enforced: no listener is served there. This is what the policies say, and no proxy asks them.
        </p>
      )}
      <p>{reason}</p>
      <p>Decided by {decidedBy === null ? 'no policy' : <ResourceLink kri={decidedBy} name={decidedBy} />}.</p>
      {shadow !== decision && (
        <p>
          With the policies in shadow it would be {shadow}
          {shadowDecidedBy !== null && (
            <>
              , by <ResourceLink kri={shadowDecidedBy} name={shadowDecidedBy} />
            </>
          )}
          .
        </p>
      )}
      <ul class="warnings">
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </section>
  );
}
