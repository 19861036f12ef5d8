import { parentPort, workerData } from 'node:worker_threads';
import { asMeridianError } from '../../errors.ts';
import type { Place } from '../../resource/resource.ts';
import { decodeText } from '../http/request-bodies.ts';
import type { BodyBatch, BodyJob, BodyPart, BodyRefusal } from './body-messages.ts';
import { toValidDocument, valuesIn } from './documents-in.ts';

/**
 * The thread that reads large bodies (src/api/bodies/body-reader.ts): a job comes in, then what is in it goes out in
 * batches, each when it is asked for, so that taking one is short work for the other side.
 */

/** Of JSON, in characters: what the other side parses at once. */
const BATCH = 64 * 1024;

const place = workerData as Place;
let parts: Iterator<BodyPart | { readonly refused: BodyRefusal }> | undefined;

parentPort?.on('message', (job: BodyJob | 'next') => {
  if (job !== 'next') parts = partsOf(job);
  const started = performance.now();
  const part = parts?.next();
  if (part?.done !== false) return;
  const batch: BodyBatch = { ...part.value, took: performance.now() - started };
  parentPort?.postMessage(batch);
});

function* partsOf(job: BodyJob): Generator<BodyPart | { readonly refused: BodyRefusal }, void> {
  try {
    const values = valuesIn(decodeText(job.bytes), job.isJson);
    if (job.as === 'values') yield { values: [...values], last: true };
    else yield* documentsOf(values);
  } catch (thrown) {
    const { code, message, problems, hint } = asMeridianError(thrown);
    yield { refused: { code, message, problems, hint } };
  }
}

function* documentsOf(values: ReturnType<typeof valuesIn>): Generator<BodyPart, void> {
  let [texts, length]: [string[], number] = [[], 0];
  for (const value of values) {
    const text = JSON.stringify(toValidDocument(value, place));
    texts.push(text);
    length += text.length;
    if (length < BATCH) continue;
    yield { json: `[${texts.join()}]`, last: false };
    [texts, length] = [[], 0];
  }
  yield { json: `[${texts.join()}]`, last: true };
}
