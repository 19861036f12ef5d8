// `npm run bench`: measures on real processes, with bench/main.ts.
import { runPrepared } from './run-prepared.mjs';

await runPrepared('bench/main.ts');
