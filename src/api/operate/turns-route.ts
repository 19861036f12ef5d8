import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { turns } from '../../control/plane/long-turns.ts';
import { time } from '../openapi/common-shapes.ts';
import { described, type Operation } from '../openapi/operation.ts';

const operation: Operation = {
  id: 'getTurns',
  summary: 'What kept the event loop longest since the start, the longest first',
  description: 'One thread serves the API, the sync and Envoys: while one work has it, all others wait.',
  tag: 'Control plane',
  answers: {
    200: z.strictObject({
      turns: z.array(
        z.strictObject({
          work: z.string().describe('What was done'),
          about: z.string().describe("About which route or peer; '' where that says nothing"),
          milliseconds: z.number().min(0).describe('The longest turn'),
          at: time.describe('When it ended'),
          long: z.int().min(0).describe('How many turns of this work took more than 100 ms'),
        }),
      ),
    }),
  },
};

/** `GET /_turns`: the same as `/turns` of the diagnostics port, for whoever has the API alone. */
export function addTurnsRoute(app: FastifyInstance): void {
  app.get('/_turns', described('Could not describe the control plane', operation), () => ({ turns: turns.longest() }));
}
