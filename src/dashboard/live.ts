import { signal } from '@preact/signals';
import { token } from './session.ts';

/** Grows when something may be new: what is shown is asked for again. */
export const changes = signal(0);
/** Whether changes arrive as they happen. */
export const isLive = signal(false);

/** What happens at once is one change, ms. */
const TOGETHER = 40;
/** Connections and confirmations are no changes of resources, so nobody tells of them, ms. */
const LOOK = 1_000;
const TRY_AGAIN = 2_000;

let pending: ReturnType<typeof setTimeout> | undefined;

function changed(): void {
  pending ??= setTimeout(() => {
    pending = undefined;
    changes.value += 1;
  }, TOGETHER);
}

/**
 * Follows the control plane until the result is called: over `/_watch`, and by asking every second besides while the
 * page is seen. A browser can't send a token's header with a WebSocket, and in an address a token is kept by logs: with
 * one it only asks.
 */
export function follow(): () => void {
  const looking = setInterval(() => document.visibilityState === 'visible' && changed(), LOOK);
  let socket: WebSocket | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  const watch = (): void => {
    socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/_watch?since=now`);
    socket.addEventListener('open', () => (isLive.value = true));
    socket.addEventListener('message', changed);
    socket.addEventListener('close', () => {
      isLive.value = false;
      again = setTimeout(watch, TRY_AGAIN);
    });
  };
  if (token.value === '') watch();
  return () => {
    clearInterval(looking);
    clearTimeout(again);
    again = undefined;
    socket?.close();
  };
}
