import type { LintFinding } from './lint.ts';

/** Findings that are listed. */
const SHOWN = 20;

/** What is wrong with a text; each line's number leads there. */
export function Findings({ findings, go }: { findings: readonly LintFinding[]; go: (line: number) => void }) {
  return (
    <ul class="findings" aria-live="polite" aria-label="What is wrong">
      {findings.slice(0, SHOWN).map(({ line, text }, index) => (
        <li key={index}>
          {line !== undefined && (
            <button type="button" class="line" onClick={() => go(line)}>
              line {line}
            </button>
          )}{' '}
          {text}
        </li>
      ))}
      {findings.length > SHOWN && <li>and {findings.length - SHOWN} more</li>}
    </ul>
  );
}
