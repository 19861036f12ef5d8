import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import Fastify from 'fastify';
import { GLOBAL } from '../../resource/resource.ts';
import { addBodyParsers } from '../http/request-bodies.ts';
import { BodyReader } from './body-reader.ts';
import { startBodyThread } from './body-thread.ts';
import { createBodies, goneOf } from './read-body.ts';

/** A server that only reads, and the threads that it started. */
function newServer() {
  const state = { threads: 0 };
  const start = () => {
    state.threads += 1;
    return startBodyThread(GLOBAL);
  };
  const bodies = createBodies(GLOBAL, () => performance.now(), new BodyReader(start));
  const app = Fastify({ bodyLimit: 16 * 1024 * 1024 });
  after(() => app.close());
  app.addHook('onClose', async () => bodies.close());
  addBodyParsers(app);
  app.post('/read', { config: { documents: true } }, async (request, reply) => {
    const documents = await bodies.documents(request, { gone: goneOf(reply), charge: () => {} });
    return documents.map(({ draft, problems, validated = false }) => ({ name: draft?.name, problems: problems.length, validated }));
  });
  return { app, state };
}

const KB = 1024;
/** A document of exactly so many bytes, which is a text in both formats. */
const ofSize = (bytes: number) => {
  const [head, tail] = ['{"type":"Mesh","name":"m","spec":"', '"}'];
  return `${head}${'x'.repeat(bytes - head.length - tail.length)}${tail}`;
};

describe('which bodies are read in a thread', () => {
  const TABLE: readonly [type: string, bytes: number, threads: number][] = [
    ['application/json', 64 * KB, 0],
    ['application/json', 64 * KB + 1, 1],
    ['application/yaml', 8 * KB, 0],
    ['application/yaml', 8 * KB + 1, 1],
  ];
  for (const [type, bytes, threads] of TABLE) {
    it(`${bytes} bytes of ${type}: ${threads === 0 ? 'on the loop' : 'in a thread'}`, async () => {
      const { app, state } = newServer();
      const answer = await app.inject({ method: 'POST', url: '/read', headers: { 'content-type': type }, payload: ofSize(bytes) });
      assert.equal(answer.statusCode, 200);
      const [document] = answer.json<{ name: string; validated: boolean }[]>();
      assert.deepEqual([document?.name, document?.validated, state.threads], ['m', threads === 1, threads]);
    });
  }
});
