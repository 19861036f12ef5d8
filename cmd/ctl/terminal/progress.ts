/** How far long work is, in one line that is written over; nothing where nobody watches. */
export interface Progress {
  say(text: string): void;
  /** Takes the line away. */
  end(): void;
}

const CLEAR = '\r\u001b[K';

/** On standard error, and there on a terminal alone: neither scripts nor files get any of it. */
function startProgress(): Progress {
  const { isTTY, columns } = process.stderr;
  if (!isTTY) return { say: () => {}, end: () => {} };
  return {
    say: (text) => void process.stderr.write(`${CLEAR}${text.slice(0, (columns || 80) - 1)}`),
    end: () => void process.stderr.write(CLEAR),
  };
}

/** Does work that tells how far it is. The line is gone at its end, however it ends. */
export async function withProgress<T>(work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = startProgress();
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}
