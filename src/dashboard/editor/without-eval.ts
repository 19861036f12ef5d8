import { config } from 'zod';

/** Our policy lets no text become code, and the browser reports who tries: zod does unless it is told. */
config({ jitless: true });
