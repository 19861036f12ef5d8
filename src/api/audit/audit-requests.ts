import type { FastifyInstance, FastifyRequest } from 'fastify';
import { untilFree } from '../../control/plane/in-turns.ts';
import type { Plane } from '../../control/plane/plane.ts';
import type { WrittenDocument } from '../../control/write/write-documents.ts';
import { asMeridianError, MeridianError } from '../../errors.ts';
import type { AuditRecord } from '../../resource/store/audit.ts';
import type { Parts } from '../../resource/store/parts.ts';
import type { Transaction } from '../../resource/store/store.ts';
import type { Principal } from '../auth/principal.ts';
import { rightOf } from '../auth/rights.ts';
import type { ApiOptions } from '../api-options.ts';
import { headOf, type AuditSubject, subjectOf, toSubject } from './audit-record.ts';
import { AuditTrail } from './audit-trail.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** A commit took the request's records along, or it is a call, of which there are none. */
    audited: boolean;
    /** The subject of the request, where its URL does not say it. */
    about: AuditSubject | undefined;
    /** Why it was refused. */
    refusedWith: string | undefined;
  }
}

/**
 * Keeps who changed what through the API, and who was refused (issue 6): names and outcomes, never what was in a
 * request. What a commit wrote is recorded in it (`writeAudited`); any other act before it is answered; refusals
 * within a second. Questions and dry runs are none.
 */
export function addAuditing(app: FastifyInstance, { plane, writes, report }: ApiOptions): AuditTrail {
  const trail = new AuditTrail(plane, writes, report);
  app.decorateRequest('audited', false);
  app.decorateRequest('about', undefined);
  app.decorateRequest('refusedWith', undefined);
  app.addHook('onError', (request, _reply, error, done) => {
    request.refusedWith = codeOf(error);
    done();
  });
  app.addHook('onSend', async (request, reply) => {
    if (!isAct(request) || request.audited) return;
    const refused = reply.statusCode >= 400;
    if (refused) trail.refused(await refusalOf(app, request, plane));
    else await trail.act(actOf(request, plane));
  });
  app.addHook('onClose', async () => trail.flush());
  return trail;
}

/**
 * Writes for a request. `body` says what it wrote: the records of that are in the same commit. `writing`: how many
 * resources that is. Throws as it does.
 */
export async function writeAudited<T extends { readonly written: readonly WrittenDocument[] }>(
  { plane, writes }: ApiOptions,
  request: FastifyRequest,
  body: (tx: Transaction) => T,
  writing = 1,
): Promise<T> {
  const done = await writes.write((tx) => {
    const result = body(tx);
    tx.recordAudit(recordsOf(headOf(request, plane), result.written, tx.revision));
    return result;
  }, writing);
  request.audited = true;
  return done;
}

/** How many records are written in one step. */
const RECORDS = 100;

/** The same for a body in parts; what comes out is for `inTurns`. */
export function* writeAuditedInParts(
  { plane }: ApiOptions,
  request: FastifyRequest,
  body: (tx: Transaction) => Parts<readonly WrittenDocument[]>,
): Parts<readonly WrittenDocument[]> {
  yield* untilFree(plane.store);
  const written = yield* plane.store.commitInParts(function* (tx) {
    const written = yield* body(tx);
    const records = recordsOf(headOf(request, plane), written, tx.revision);
    for (let from = 0; from < records.length; from += RECORDS) {
      tx.recordAudit(records.slice(from, from + RECORDS));
      yield;
    }
    return written;
  });
  request.audited = true;
  return written;
}

/**
 * A record for each that changed. A request that changed nothing has one: applied again and again, a set must not push
 * out the rest.
 */
function recordsOf(head: ReturnType<typeof headOf>, written: readonly WrittenDocument[], revision: number): AuditRecord[] {
  const changed = written.filter(({ outcome }) => outcome !== 'unchanged');
  if (changed.length > 0) return changed.map(({ key, outcome }) => ({ ...head, ...toSubject(key), outcome, revision, code: '' }));
  const [one, ...more] = written;
  const subject = one && more.length === 0 ? toSubject(one.key) : { type: '', mesh: '', name: `${written.length} resources`, kri: '' };
  return [{ ...head, ...subject, outcome: 'unchanged', revision: null, code: '' }];
}

/** Whether a request would change something. An unknown path, a dry run and a question would not. */
function isAct(request: FastifyRequest): boolean {
  if (request.method === 'GET' || request.is404) return false;
  const right = rightOf(request);
  return right !== 'read' && right !== 'anyone';
}

function actOf(request: FastifyRequest, plane: Plane): AuditRecord {
  return { ...headOf(request, plane), ...subjectOf(request, plane), outcome: 'done', revision: null, code: '' };
}

async function refusalOf(app: FastifyInstance, request: FastifyRequest, plane: Plane): Promise<AuditRecord> {
  const head = headOf(request, plane, request.principal ?? (await whoTried(app, request)));
  return { ...head, ...subjectOf(request, plane), outcome: 'refused', revision: null, code: request.refusedWith ?? 'invalid' };
}

/** Who has no right to something is known all the same; who isn't known stays so. */
async function whoTried(app: FastifyInstance, request: FastifyRequest): Promise<Principal | undefined> {
  if (request.refusedWith !== 'forbidden') return undefined;
  try {
    return await app.gate.admit(request.raw, 'anyone');
  } catch (thrown) {
    if (thrown instanceof MeridianError) return undefined;
    throw thrown;
  }
}

/** What Fastify itself refuses is the client's fault too. */
function codeOf(error: Error): string {
  if (error instanceof MeridianError) return error.code;
  const status = 'statusCode' in error ? Number(error.statusCode) : 500;
  return status === 413 ? 'too_large' : status >= 400 && status < 500 ? 'invalid' : asMeridianError(error).code;
}
