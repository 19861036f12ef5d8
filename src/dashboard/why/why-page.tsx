import { useEffect, useRef } from 'preact/hooks';
import { link } from '../location.ts';
import { type VerdictQuestion, readQuestion } from './question.ts';
import { Verdict } from './verdict.tsx';

const FIELDS = [
  { field: 'from', label: 'Caller (SPIFFE ID)', example: 'spiffe://default/ns/shop/sa/web', required: true },
  { field: 'mesh', label: 'Mesh', example: 'default', required: true },
  { field: 'to', label: 'Target (Dataplane)', example: 'backend-1.shop', required: true },
  { field: 'port', label: 'Port or section (optional)', example: '8080', required: false },
  { field: 'method', label: 'Method', example: 'GET', required: false },
  { field: 'path', label: 'Path', example: '/orders', required: false },
] as const satisfies readonly { field: keyof VerdictQuestion; label: string; example: string; required: boolean }[];

/** Asks whether a request may enter, and why not. The question is in the address: it can be sent to somebody. */
export function WhyPage({ query }: { query: Readonly<Record<string, string>> }) {
  const question = readQuestion(query);
  const form = useRef<HTMLFormElement>(null);
  // An address that was followed fills the form again.
  useEffect(() => form.current?.reset(), [JSON.stringify(question)]);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    const asked = FIELDS.map(({ field }) => [field, textOf(given.get(field))]);
    location.hash = link(['why'], Object.fromEntries(asked) as Record<string, string>);
  };
  return (
    <>
      <h1>Why denied</h1>
      <form ref={form} class="question" onSubmit={submit}>
        {FIELDS.map(({ field, label, example, required }) => (
          <p key={field}>
            <label for={field}>{label}</label>
            <input id={field} name={field} defaultValue={question[field]} placeholder={example} required={required} spellcheck={false} />
          </p>
        ))}
        <p>
          <button type="submit">Ask</button>
        </p>
      </form>
      {question.from !== '' && question.to !== '' && <Verdict question={question} />}
    </>
  );
}

function textOf(value: FormDataEntryValue | null): string {
  return typeof value === 'string' ? value.trim() : '';
}
