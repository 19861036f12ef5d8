// A server that answers every request with the same bytes: what Fastify itself takes of a core. In: their number. It
// prints its port.
import Fastify from 'fastify';

const body = Buffer.from(JSON.stringify('x'.repeat(Number(process.argv[2]) - 2)));
const app = Fastify();
app.get('/', (_request, reply) => reply.type('application/json; charset=utf-8').send(body));
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
console.log(typeof address === 'object' ? address?.port : address);
