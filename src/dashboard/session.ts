import { signal } from '@preact/signals';

const KEPT = 'meridian-token';

/** The token that requests are sent with; '' : none. The tab keeps it, and nothing else does. */
export const token = signal(sessionStorage.getItem(KEPT) ?? '');

/** Who asks: not known yet, nobody (a token is needed), or somebody with a role. */
export type CurrentUser = 'unknown' | 'nobody' | { readonly name: string; readonly role: string };
export const who = signal<CurrentUser>('unknown');

/** Takes a token for all that follows. */
export function signIn(text: string): void {
  sessionStorage.setItem(KEPT, text);
  token.value = text;
}

/** What was typed goes with the token. */
export function signOut(): void {
  sessionStorage.clear();
  token.value = '';
}
