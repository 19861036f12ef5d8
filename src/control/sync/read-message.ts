import { MeridianError } from '../../errors.ts';
import { decodeMessage, type Message } from '../../kds/protocol.ts';
import type { ThrottledReport } from '../plane/throttled-report.ts';

/** The message that a peer sent. undefined: the text is not a message, which is reported. */
export function readMessage(throttled: ThrottledReport, peer: string, text: string): Message | undefined {
  try {
    return decodeMessage(text);
  } catch (thrown) {
    const reason = thrown instanceof MeridianError ? thrown.message : String(thrown);
    throttled.report('warn', 'a message was refused', { peer, reason });
    return undefined;
  }
}
