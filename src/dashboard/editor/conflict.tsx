import type { EditorDraft } from './drafts.ts';

interface ConflictProps {
  readonly current: EditorDraft;
  readonly begin: () => void;
  readonly keep: () => void;
}

/** Somebody changed the resource while a text was typed: what it is now, and what can be done. */
export function Conflict({ current, begin, keep }: ConflictProps) {
  return (
    <section aria-labelledby="conflict" class="conflict">
      <h2 id="conflict">It was changed while you edited</h2>
      <p>
        <button type="button" onClick={keep}>
          Keep my text, and put it in place of that
        </button>{' '}
        <button type="button" onClick={begin}>
          Begin again with what it is now
        </button>
      </p>
      <details>
        <summary>What it is now</summary>
        <pre tabIndex={0}>{current.text}</pre>
      </details>
    </section>
  );
}
