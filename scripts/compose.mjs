// `npm run test:compose [-- --processes] [NAME...]`: compose/run.ts.
import { runPrepared } from './run-prepared.mjs';

await runPrepared('compose/run.ts');
