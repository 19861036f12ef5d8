import { verdictId } from '../../policy/callers/caller-verdicts.ts';
import { evaluateInbound, type InboundDeciders } from '../../policy/decide/evaluate-callers.ts';
import type { Action } from '../../resource/permission-actions.ts';
import type { Permission } from '../../policy/decide/read-permissions.ts';
import type { RequestSubject } from '../../policy/decide/read-request.ts';
import type { Key } from '../../resource/key.ts';
import type { DecidingPermissions } from './inbound-pairs.ts';
import { type RequestCondition, findByRequest } from './find-requests.ts';
import { Rules } from './permission-rules.ts';
import type { Parts } from '../../resource/store/parts.ts';

/**
 * What is decided about a request, and what would be if all shadow actions were enforced; the policies undefined:
 * nobody allows it.
 */
export interface VerdictPair {
  readonly decision: Action;
  readonly shadow: Action;
  readonly decidedBy: Key | undefined;
  readonly shadowDecidedBy: Key | undefined;
}

/** How a verdict changes, for the requests that are meant. */
export interface VerdictChange {
  readonly when: RequestCondition;
  readonly before: VerdictPair;
  readonly after: VerdictPair;
}

/** A client's URI SANs, and what policies can ask of them (countingKeys). */
export interface ComparedClient {
  readonly sans: readonly string[];
  readonly keys: readonly string[];
}

const NOWHERE: DecidingPermissions = { protocol: 'tcp', permissions: [], callers: undefined };

/** Compares what two lists of permissions decide about clients. Clients of whom they say the same are compared once. */
export class VerdictComparison {
  readonly #before: DecidingPermissions;
  readonly #after: DecidingPermissions;
  readonly #rules: { readonly before: Rules; readonly after: Rules };
  readonly #known = new Map<string, readonly VerdictChange[]>();

  constructor(before: DecidingPermissions | undefined, after: DecidingPermissions | undefined) {
    this.#before = before ?? { ...NOWHERE, protocol: after?.protocol ?? 'tcp' };
    this.#after = after ?? { ...NOWHERE, protocol: before?.protocol ?? 'tcp' };
    this.#rules = { before: new Rules(this.#before.permissions), after: new Rules(this.#after.permissions) };
  }

  /** The requests of a client, who was `was` before, whose verdict changes. */
  *compare(was: ComparedClient, is: ComparedClient): Parts<readonly VerdictChange[]> {
    const before = this.#rules.before.slice(was.sans, was.keys);
    const after = this.#rules.after.slice(is.sans, is.keys);
    const id = `${before.id} ${after.id} ${verdictId(this.#before.callers, was.sans)} ${verdictId(this.#after.callers, is.sans)}`;
    const known =
      this.#known.get(id) ??
      (yield* this.#find(was.sans, this.#rules.before.permissionsOf(before), is.sans, this.#rules.after.permissionsOf(after)));
    this.#known.set(id, known);
    return known;
  }

  *#find(
    sansBefore: readonly string[],
    before: readonly Permission[],
    sansAfter: readonly string[],
    after: readonly Permission[],
  ): Parts<VerdictChange[]> {
    const protocol = this.#before.protocol === 'tcp' && this.#after.protocol === 'tcp' ? 'tcp' : 'http';
    const found = yield* findByRequest([...before, ...after], protocol, (request) => {
      const was = judge(
        { permissions: before, callers: this.#before.callers },
        { ...request, sans: sansBefore, protocol: this.#before.protocol },
      );
      const is = judge(
        { permissions: after, callers: this.#after.callers },
        { ...request, sans: sansAfter, protocol: this.#after.protocol },
      );
      return was.decision === is.decision && was.shadow === is.shadow ? undefined : { before: was, after: is };
    });
    return found.map(({ when, value }) => ({ when, ...value }));
  }
}

function judge(deciders: InboundDeciders, subject: RequestSubject): VerdictPair {
  const [enforced, shadow] = [evaluateInbound(deciders, subject, 'enforced'), evaluateInbound(deciders, subject, 'shadow')];
  return { decision: enforced.action, shadow: shadow.action, decidedBy: enforced.decidedBy, shadowDecidedBy: shadow.decidedBy };
}
