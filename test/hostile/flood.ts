import { readFileSync } from 'node:fs';
import type { Attacker } from './attacker.ts';

const MESSAGES = Number(process.env.MERIDIAN_FLOOD ?? 20_000);

/** Twenty thousand messages as fast as the server takes them; of large ones as many bytes as 400 MB. */
export async function flood(west: Attacker, kind: 'noise' | 'large' | 'pulls' | 'statuses' | 'notices'): Promise<void> {
  const large = new Uint8Array(900_000).fill(0x61);
  const count = kind === 'large' ? Math.min(MESSAGES, 450) : MESSAGES;
  for (let i = 0; i < count; i++) {
    if (kind === 'noise') west.raw(`noise ${i}`);
    else if (kind === 'large') west.raw(large);
    else if (kind === 'pulls') west.say({ kind: 'pull', id: i.toString(16), ask: { mode: 'scan' } });
    else if (kind === 'statuses')
      west.say(west.status({ ack: { refusals: `${i}` } }), [], { instance: i.toString(16), incarnation: 1_000 + i });
    else west.say({ kind: 'notice', code: 'diverged', message: `notice ${i}` });
    if (i % 500 === 499) await west.flush();
  }
  if (kind === 'statuses') west.speaker = { ...west.speaker, incarnation: 1_000 + count };
  await west.flush();
}

/** The resident memory of a process, in MB. */
export function rss(pid: number): number {
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kb) / 1024;
}
