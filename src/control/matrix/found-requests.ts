import type { Decision } from '../../policy/decide/decide-request.ts';
import { verdictId } from '../../policy/callers/caller-verdicts.ts';
import type { Permission } from '../../policy/decide/read-permissions.ts';
import type { Request } from '../../policy/decide/read-request.ts';
import type { Parts } from '../../resource/store/parts.ts';
import { findByRequest, type FoundRequests } from '../impact/find-requests.ts';
import { Rules } from '../impact/permission-rules.ts';
import { untrustedAt } from '../mesh/gateway-entry.ts';
import { decideThrough, decideTogether, type InboundGate } from '../mesh/inbound-gate.ts';

/** A client, and what permissions can ask of it (countingKeys). */
export interface AskingClient {
  readonly sans: readonly string[];
  readonly keys: readonly string[];
}

/** What is decided at a port, for clients one after another. Clients to whom the same rules speak are one. */
export class PortRules {
  readonly #gates: readonly InboundGate[];
  readonly #rules: readonly Rules[];

  constructor(gates: readonly InboundGate[]) {
    this.#gates = gates;
    this.#rules = gates.map(({ permissions, shut }) => new Rules(shut ? [] : permissions));
  }

  /** Equal for two clients of whom the same is decided, whatever they ask for. */
  idOf({ sans, keys }: AskingClient): string {
    const rules = this.#rules.map((one) => one.slice(sans, keys).id);
    const entered = this.#gates.map(({ entry }) => untrustedAt(entry, { spiffeIds: sans }) ?? '');
    const verdicts = this.#gates.map(({ callers }) => verdictId(callers, sans));
    return `${sans.length === 0 ? 'nobody' : ''} ${rules.join(' ')} ${verdicts.join()} ${entered.join()}`;
  }

  /** The gates with what they say to the client alone. */
  gatesFor({ sans, keys }: AskingClient): InboundGate[] {
    return this.#gates.map((gate, index) => ({ ...gate, permissions: this.#narrowed(index, sans, keys) }));
  }

  #narrowed(index: number, sans: readonly string[], keys: readonly string[]): readonly Permission[] {
    const rules = this.#rules[index];
    return rules ? rules.permissionsOf(rules.slice(sans, keys)) : [];
  }
}

/** Every kind of request that permissions tell apart, and what is made of the decision about it. */
export function* decisionsOf<T>(
  gates: readonly InboundGate[],
  sans: readonly string[],
  mesh: string,
  make: (decision: Decision, request: Request) => T,
): Parts<FoundRequests<T>[]> {
  const permissions = gates.flatMap((gate) => gate.permissions);
  const protocol = gates.some((gate) => gate.protocol === 'http') ? 'http' : 'tcp';
  return yield* findByRequest(permissions, protocol, (asked) => {
    const request: Request = { spiffeIds: sans, method: asked.method, path: asked.path };
    return make(decideTogether(gates.map((gate) => decideThrough(gate, request, mesh))), request);
  });
}
