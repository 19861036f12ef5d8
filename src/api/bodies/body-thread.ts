import { Worker } from 'node:worker_threads';
import type { Place } from '../../resource/resource.ts';

/** In the sources it is TypeScript; in a built program it lies beside it (scripts/bundle.mjs). */
const FILE = new URL(import.meta.url.endsWith('.ts') ? './body-worker.ts' : './body-worker.js', import.meta.url);

/** Several times what the largest body needs within the limits of its parts. */
const MOST_MEGABYTES = 768;

/** Starts a thread that reads bodies for a control plane at `place`. */
export function startBodyThread(place: Place, maxOldGenerationSizeMb = MOST_MEGABYTES): Worker {
  return new Worker(FILE, { workerData: place, resourceLimits: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 } });
}
