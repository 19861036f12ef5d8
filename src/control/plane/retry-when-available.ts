import { MeridianError } from '../../errors.ts';
import type { Report } from '../../report.ts';

/**
 * For writes that nobody waits for. If the store can't write now (a full disk), the next call tries again. That is
 * logged once, and once more when it is over. `what`: for the log, as in `the insights of proxies`. Any other error is
 * thrown.
 *
 *   taken, full, full, taken  ->  nothing, `... can not be written now`, nothing, `... are written again`
 */
export function retryWhenAvailable(report: Report, what: string): (write: () => void) => void {
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
