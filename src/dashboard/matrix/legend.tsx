import { useMemo } from 'preact/hooks';
import { counted, LETTERS, MEANING, type VerdictMatrix } from './matrix.ts';

/** What the signs mean, and how often each is there. */
export function Legend({ matrix }: { matrix: VerdictMatrix }) {
  const counts = useMemo(() => counted(matrix), [matrix]);
  const isUnenforced = matrix.inbounds.items.some(({ enforced }) => !enforced);
  return (
    <ul class="legend" aria-label="Verdicts">
      {LETTERS.filter((letter) => 'ADp'.includes(letter) || counts.has(letter)).map((letter) => (
        <li key={letter}>
          <span class={`mark verdict-${letter}`} aria-hidden="true" />
          {MEANING[letter]} <strong>{(counts.get(letter) ?? 0).toLocaleString('en')}</strong>
        </li>
      ))}
      {isUnenforced && (
        <li>
          <span class="mark unenforced" aria-hidden="true" />
          Not enforced
        </li>
      )}
    </ul>
  );
}
