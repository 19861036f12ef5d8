// `npm run demo`: demo/main.ts. `-- --once` ends by itself, 0 if all was as expected.
import { runPrepared } from './run-prepared.mjs';

await runPrepared('demo/main.ts');
