// `node scripts/openapi.ts`: writes docs/reference/openapi.json. test/api/openapi.spec.ts fails when it is stale.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { SHIPPED, shippedText } from '../test/api/shipped.ts';

mkdirSync(dirname(SHIPPED), { recursive: true });
writeFileSync(SHIPPED, await shippedText());
console.log(`wrote ${SHIPPED}`);
