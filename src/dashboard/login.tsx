import { useState } from 'preact/hooks';
import { findOutWho } from './find-out-who.ts';
import { signIn, signOut } from './session.ts';

/** Asks for a token. It stays in this tab. */
export function Login() {
  const [problem, setProblem] = useState('');
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const text = new FormData(event.target as HTMLFormElement).get('token');
    signIn(typeof text === 'string' ? text.trim() : '');
    const wrong = await findOutWho();
    if (wrong === '') return;
    signOut();
    await findOutWho();
    setProblem(wrong);
  };
  return (
    <main class="login">
      <h1>Meridian</h1>
      <form onSubmit={(event) => void submit(event)}>
        <label for="token">Token</label>
        <input id="token" name="token" type="password" autocomplete="off" required autofocus />
        <button type="submit">Sign in</button>
        <p class="hint">
          An admin issues one with <code>meridianctl token issue</code>. It stays in this tab until you close it.
        </p>
        {problem !== '' && <p role="alert">{problem}</p>}
      </form>
    </main>
  );
}
