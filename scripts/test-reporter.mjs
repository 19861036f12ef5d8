// Node's `spec` report with its summary (tests, pass, fail) moved to the very end: Node prints the failures after it.
import { Readable } from 'node:stream';
import { spec } from 'node:test/reporters';

const SUMMARY = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;

/** In: the events of node:test. Out: text. */
export default async function* report(events) {
  const summary = [];
  const others = async function* () {
    for await (const event of events) {
      if (event.type === 'test:diagnostic' && SUMMARY.test(event.data.message)) summary.push(event.data.message);
      else yield event;
    }
  };
  yield* Readable.from(others()).pipe(new spec());
  yield `\n${summary.map((line) => `ℹ ${line}\n`).join('')}`;
}
