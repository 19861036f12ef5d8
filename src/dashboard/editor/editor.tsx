import { useEffect, useState } from 'preact/hooks';
import { post, RefusedAnswer } from '../api.ts';
import { Problem } from '../problem.tsx';
import { reasonOf } from '../use-loaded.ts';
import { Conflict } from './conflict.tsx';
import { type EditorDraft, keepDraft, keptDraft } from './drafts.ts';
import { Findings } from './findings.tsx';
import { lint, type LintFinding } from './lint.ts';
import { goToLine, TextArea } from './text-area.tsx';
import { type TrialAnswer, Trial } from './trial.tsx';

interface EditorProps {
  /** What is edited: its draft is kept under this name. */
  readonly id: string;
  /** As it is now. */
  readonly current: EditorDraft;
  /** Why nothing can be written; '': it can. */
  readonly locked: string;
  /** The KRI of what is edited; '': new resources. */
  readonly kri: string;
  /** Writes a text that was made from the state of `tag`. Out: where to go then. Throws: it was refused. */
  readonly apply: (draft: EditorDraft) => Promise<string>;
}

/**
 * A text that is linted as it is typed. It can be applied once a dry run of this very text has said whose verdicts
 * change. What is refused stays as it was typed.
 */
export function Editor({ id, current, locked, kri, apply }: EditorProps) {
  const [draft, setDraft] = useState(() => keptDraft(id));
  const [trial, setTrial] = useState<{ readonly text: string; readonly answer: TrialAnswer }>();
  const [refused, setRefused] = useState<{ readonly reason: string; readonly findings: readonly LintFinding[] }>();
  const [isBusy, setBusy] = useState(false);
  const { text, tag } = draft ?? current;
  const isOld = tag !== current.tag;
  const { findings, isLinted } = useLint(text);
  const change = (next: EditorDraft | undefined): void => {
    keepDraft(id, next);
    setDraft(next);
    setTrial(undefined);
    setRefused(undefined);
  };
  const ask = async (question: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setRefused(undefined);
    await question().catch((thrown: unknown) => setRefused({ reason: reasonOf(thrown), findings: findingsOf(thrown) }));
    setBusy(false);
  };
  const look = () => ask(async () => setTrial({ text, answer: await post<TrialAnswer>('/apply?dryRun=true', text) }));
  const write = () =>
    ask(async () => {
      const next = await apply({ text, tag });
      keepDraft(id, undefined);
      location.hash = next;
    });
  const tried = trial?.text === text ? trial.answer : undefined;
  const isOther = kri !== '' && tried !== undefined && !(tried.results.length === 1 && tried.results[0]?.kri === kri);
  const marked = new Set([...findings, ...(refused?.findings ?? [])].flatMap(({ line }) => line ?? []));
  if (locked !== '') return <Locked why={locked} text={current.text} />;
  return (
    <>
      {isOld && <Conflict current={current} begin={() => change(undefined)} keep={() => change({ text, tag: current.tag })} />}
      <TextArea text={text} readOnly={false} marked={marked} onText={(typed) => change({ text: typed, tag })} />
      <Findings findings={findings} go={goToLine} />
      <p class="actions">
        <button type="button" disabled={isBusy || !isLinted || findings.length > 0} onClick={() => void look()}>
          See what would change
        </button>{' '}
        <button type="button" class="primary" disabled={isBusy || isOld || isOther || tried === undefined} onClick={() => void write()}>
          Apply
        </button>{' '}
        <span class="hint">{tried ? '' : 'Apply follows a dry run of the text as it is.'}</span>
      </p>
      {refused && <Problem text={`Nothing was changed. ${refused.reason}`} />}
      {refused && refused.findings.length > 0 && <Findings findings={refused.findings} go={goToLine} />}
      {isOther && <Problem text="The text is of another resource, or of several: make new ones from “New from YAML”." />}
      {tried && <Trial answer={tried} />}
    </>
  );
}

/** A text is linted when nobody has typed for so long, ms. */
const STILL = 150;

/** What lint says, and whether it says so of this very text. */
function useLint(text: string): { readonly findings: readonly LintFinding[]; readonly isLinted: boolean } {
  const [linted, setLinted] = useState(() => ({ text, findings: lint(text) }));
  const isLinted = linted.text === text;
  useEffect(() => {
    if (isLinted) return undefined;
    const waiting = setTimeout(() => setLinted({ text, findings: lint(text) }), STILL);
    return () => clearTimeout(waiting);
  }, [text, isLinted]);
  return { findings: linted.findings, isLinted };
}

function Locked({ why, text }: { why: string; text: string }) {
  return (
    <>
      <p role="note" class="not-enforced">
        {why}
      </p>
      <TextArea text={text} readOnly marked={new Set()} onText={() => {}} />
    </>
  );
}

function findingsOf(thrown: unknown): LintFinding[] {
  if (!(thrown instanceof RefusedAnswer)) return [];
  return thrown.problems.map(({ field, reason }) => ({ line: undefined, text: `${field}: ${reason}` }));
}
