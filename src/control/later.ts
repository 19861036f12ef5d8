import { MeridianError } from '../errors.ts';
import type { Report } from './report.ts';

/**
 * For what is written now and then and nobody waits for. What the store can't take now (a full disk) is left to the next time; that is said once, and once
 * more when it is over. `what`: for the log, as in `the insights of proxies`. Anything else that is thrown goes on.
 *
 *   taken, full, full, taken  ->  nothing, `... can not be written now`, nothing, `... are written again`
 */
export function orLater(report: Report, what: string): (write: () => void) => void {
  let late = false;
  return (write) => {
    try {
      write();
      if (late) report('info', `${what} are written again`, {});
      late = false;
    } catch (thrown) {
      if (!(thrown instanceof MeridianError) || thrown.code !== 'unavailable') throw thrown;
      if (!late) report('error', `${what} can not be written now`, { reason: thrown.message });
      late = true;
    }
  };
}
