import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { canAt, type CanAnswer } from '../../control/mesh/answer-can.ts';
import type { MeshView } from '../../control/mesh/mesh-view.ts';
import { meshExists } from '../../control/put/put-own.ts';
import { asMeridianError, invalid } from '../../errors.ts';
import { isObject } from '../../resource/field-path.ts';
import { formatKri, type Key } from '../../resource/key.ts';
import { kindOf } from '../../resource/kinds.ts';
import { restName } from '../../resource/rest-name.ts';
import type { Parts } from '../../resource/store/parts.ts';
import { chargedAnswers } from '../bodies/charged-answers.ts';
import { type ErrorBody, toErrorBody } from '../http/error-answers.ts';
import { parseJson, textOf } from '../http/request-bodies.ts';
import { described, type Operation } from '../openapi/operation.ts';
import { errorShape, kri } from '../openapi/common-shapes.ts';
import { findResource, type InspectOptions, noMesh, requireMesh } from './inspect-context.ts';
import { type CanRequest, questionShape, readQuestion } from './can-question.ts';

const verdict = z.enum(['Allow', 'Deny']);

const answerShape = z
  .strictObject({
    enforced: z
      .boolean()
      .describe('Whether an Envoy of ours asks this. Read it before `decision`: if false, nothing here allows or denies the request'),
    decision: verdict.describe(
      'What the policies come to. Where `enforced` is false it lets nobody in and keeps nobody out; `reason` begins with `not enforced:`',
    ),
    shadow: verdict,
    decidedBy: kri.nullable(),
    shadowDecidedBy: kri.nullable(),
    reason: z.string(),
    warnings: z.array(z.string()),
    dataplane: kri,
  })
  .meta({ id: 'CanAnswer' });

const canOne: Operation = {
  id: 'can',
  summary: 'Whether a request may enter, and which policies decide',
  tag: 'Decisions',
  body: questionShape,
  answers: { 200: answerShape },
  refusals: [404],
};

/** Questions in one request: at the largest mesh that is measured they take some seconds. */
const MOST_QUESTIONS = 1_000;

const canMany: Operation = {
  id: 'canMany',
  summary: 'The same of many requests at once, each with its own verdict or error',
  description:
    'What `POST /can` answers to each question, in their order. One that can’t be answered has its error, and holds up no other. Where the mesh changes meanwhile, an answer may be from before or after. A token has 20 s of work for them at once, and 0.2 s more each second.',
  tag: 'Decisions',
  body: z.strictObject({ questions: z.array(questionShape).min(1).max(MOST_QUESTIONS) }).meta({ id: 'Questions' }),
  answers: {
    200: z.strictObject({
      answers: z.array(z.strictObject({ verdict: answerShape.optional(), error: errorShape.optional() }).describe('One of both')),
    }),
  },
};

const FAILED = 'Could not decide';
const MANY = { asked: 'the questions', of: 'of them', instead: 'ask fewer questions at once' };

/**
 * `POST /can`: whether a request may enter, what the shadow side says, and which policies decided; `POST /can/many`:
 * the same of many (docs/design/interfaces.md#rest).
 */
export function addCanRoutes(app: FastifyInstance, options: InspectOptions): void {
  app.post('/can', described(FAILED, canOne), async (request) => {
    const question = readQuestion(parseJson(textOf(request)));
    requireMesh(options.plane, question.mesh);
    return answeringAt(options, await options.views(question.mesh), question)(question.request);
  });
  const open = chargedAnswers(options, MANY);
  app.post('/can/many', described(FAILED, canMany), async (request, reply) => {
    const questions = readQuestions(parseJson(textOf(request)));
    const run = open(request, reply);
    const views = await viewsFor(options, questions);
    return { answers: await run(answerAll(options, views, questions)) };
  });
}

type DecideRequest = (request: CanRequest['request']) => object;

/** What answers about one inbound. Throws `not_found`, `invalid`. */
function answeringAt(
  { plane, sync, proxies }: InspectOptions,
  view: MeshView,
  { mesh, dataplane: name, section }: Omit<CanRequest, 'request'>,
): DecideRequest {
  const dataplane = findResource(plane, kindOf('Dataplane'), mesh, name);
  const built = proxies?.().find((one) => one.mesh === mesh && one.name === restName(dataplane, plane.place));
  const decide = canAt(plane, view, sync !== undefined, { dataplane, section, shut: built?.shut });
  return (request) => describeAnswer(decide(request), dataplane.key);
}

function describeAnswer({ decidedBy, shadowDecidedBy, ...decision }: CanAnswer, dataplane: Key): object {
  return {
    ...decision,
    decidedBy: decidedBy ? formatKri(decidedBy) : null,
    shadowDecidedBy: shadowDecidedBy ? formatKri(shadowDecidedBy) : null,
    dataplane: formatKri(dataplane),
  };
}

/** Where it can't be read, its error. */
type ReadQuestion = CanRequest | { readonly error: ErrorBody };

/** What is wrong with one of them is its own answer. Throws `invalid`. */
function readQuestions(value: unknown): readonly ReadQuestion[] {
  const { questions, ...others } = isObject(value) ? value : {};
  const count = Array.isArray(questions) ? questions.length : 0;
  if (count < 1 || count > MOST_QUESTIONS || Object.keys(others).length > 0)
    throw invalid([
      { field: 'questions', reason: `must be a list of 1 to ${MOST_QUESTIONS} questions of POST /can, and all that is sent` },
    ]);
  return (questions as readonly unknown[]).map((one) => orError(() => readQuestion(one)));
}

/** Those of the meshes that exist, one after the other: a mesh may have to be read whole. */
async function viewsFor({ plane, views }: InspectOptions, questions: readonly ReadQuestion[]): Promise<ReadonlyMap<string, MeshView>> {
  const found = new Map<string, MeshView>();
  for (const mesh of new Set(questions.flatMap((one) => ('error' in one ? [] : [one.mesh]))))
    if (meshExists(plane.store, mesh)) found.set(mesh, await views(mesh));
  return found;
}

/** The rules of an inbound are read once, however many questions are about it. */
function* answerAll(options: InspectOptions, views: ReadonlyMap<string, MeshView>, questions: readonly ReadQuestion[]): Parts<object[]> {
  const known = new Map<string, DecideRequest>();
  const answer = ({ request, ...where }: CanRequest): object => {
    const id = JSON.stringify(where);
    const answering = known.get(id) ?? answeringAt(options, viewOf(views, where.mesh), where);
    known.set(id, answering);
    return { verdict: answering(request) };
  };
  const answers: object[] = [];
  for (const question of questions) {
    answers.push('error' in question ? question : orError(() => answer(question)));
    yield;
  }
  return answers;
}

/** Throws `not_found`. */
function viewOf(views: ReadonlyMap<string, MeshView>, mesh: string): MeshView {
  const view = views.get(mesh);
  if (view) return view;
  throw noMesh(mesh);
}

function orError<T>(work: () => T): T | { readonly error: ErrorBody } {
  try {
    return work();
  } catch (thrown) {
    return { error: toErrorBody(asMeridianError(thrown), FAILED) };
  }
}
