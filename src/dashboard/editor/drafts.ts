/** A text that was not applied yet, and the state of the resource that it was made from (its ETag; '': a new one). */
export interface EditorDraft {
  readonly text: string;
  readonly tag: string;
}

const nameOf = (id: string): string => `meridian-draft ${id}`;

/** What the tab keeps: it outlives a reload, and ends with the tab or the session. */
export function keptDraft(id: string): EditorDraft | undefined {
  const kept = sessionStorage.getItem(nameOf(id));
  return kept === null ? undefined : (JSON.parse(kept) as EditorDraft);
}

/** undefined: nothing is to be kept any more. */
export function keepDraft(id: string, draft: EditorDraft | undefined): void {
  if (draft) sessionStorage.setItem(nameOf(id), JSON.stringify(draft));
  else sessionStorage.removeItem(nameOf(id));
}
