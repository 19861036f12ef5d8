import { reasonOf } from '../use-loaded.ts';
import { useState } from 'preact/hooks';
import { post } from '../api.ts';
import { type ImpactAnswer, VerdictChangeTable } from '../impact/verdict-changes.tsx';
import { Problem } from '../problem.tsx';

/** What a permission needs to be tried as one that is not enforced. */
interface TriedPolicy {
  readonly labels?: Readonly<Record<string, string>>;
}

/** On demand, whose verdicts a permission decides: those that a dry run of it as a shadow policy would change. */
export function Effect({ policy }: { policy: TriedPolicy }) {
  const [found, setFound] = useState<ImpactAnswer>();
  const [problem, setProblem] = useState('');
  const look = async (): Promise<void> => {
    try {
      const tried = { ...policy, labels: { ...policy.labels, 'kuma.io/effect': 'shadow' } };
      setFound(await post<ImpactAnswer>('/apply?dryRun=true', tried));
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
      {found && found.changes.length > 0 && <VerdictChangeTable found={found} before="With it" after="Without it" />}
    </section>
  );
}
