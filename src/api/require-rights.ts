import type { FastifyInstance } from 'fastify';
import { InFlight } from './auth/in-flight.ts';
import type { Gate } from './auth/principal.ts';
import { rightOf } from './auth/rights.ts';

/** Lets a request in before anything of its body is read, and says who asks: `request.principal`. */
export function addGuard(app: FastifyInstance, gate: Gate): void {
  const inFlight = new InFlight();
  app.decorate('gate', gate);
  app.decorateRequest('principal', undefined);
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    request.principal = await gate.admit(request.raw, rightOf(request));
    inFlight.enter(request, reply);
  });
}
