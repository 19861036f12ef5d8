import { useRef } from 'preact/hooks';

interface TextAreaProps {
  readonly text: string;
  readonly readOnly: boolean;
  /** Lines that something is wrong with. */
  readonly marked: ReadonlySet<number>;
  readonly onText: (text: string) => void;
}

/** A plain text with the numbers of its lines. Tab leaves it, as it leaves any field. */
export function TextArea({ text, readOnly, marked, onText }: TextAreaProps) {
  const numbers = useRef<HTMLPreElement>(null);
  const count = text.split('\n').length;
  const follow = (event: Event): void => {
    if (numbers.current) numbers.current.scrollTop = (event.target as HTMLElement).scrollTop;
  };
  return (
    <div class="editor">
      <pre class="line-numbers" aria-hidden="true" ref={numbers}>
        {Array.from({ length: count }, (_, index) => (
          <span key={index} class={marked.has(index + 1) ? 'marked' : undefined}>
            {index + 1}
            {'\n'}
          </span>
        ))}
      </pre>
      <textarea
        id="yaml-text"
        aria-label="YAML"
        aria-invalid={marked.size > 0 || undefined}
        value={text}
        readOnly={readOnly}
        rows={Math.min(30, Math.max(12, count + 1))}
        spellcheck={false}
        autocomplete="off"
        wrap="off"
        onInput={(event) => onText(event.currentTarget.value)}
        onScroll={follow}
      />
    </div>
  );
}

/** Puts the cursor at the beginning of a line. */
export function goToLine(line: number): void {
  const area = document.querySelector<HTMLTextAreaElement>('#yaml-text');
  if (!area) return;
  const at = area.value
    .split('\n')
    .slice(0, line - 1)
    .reduce((sum, one) => sum + one.length + 1, 0);
  area.focus();
  area.setSelectionRange(at, at);
}
