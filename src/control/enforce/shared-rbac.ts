import type { Permission } from '../../policy/decide/read-permissions.ts';
import type { RequestSubject } from '../../policy/decide/read-request.ts';
import { type CompiledRbac, InboundRbac } from '../../policy/rbac/compile-rbac.ts';
import type { CallerMap } from '../../policy/callers/caller-verdicts.ts';

/** What decides an inbound: the same lists and maps are the same objects. */
export interface SharedDeciders {
  readonly permissions: readonly Permission[];
  readonly callers: CallerMap | undefined;
}

interface CompileOutcome {
  /** What can't be compiled is not tried again. */
  readonly made: { readonly rbac: CompiledRbac } | { readonly thrown: unknown };
  /** undefined: it compiles other permissions by now. */
  compiler: InboundRbac | undefined;
}

type Outcomes = Map<RequestSubject['protocol'], CompileOutcome>;

/** For inbounds that no access policy selects. */
const NO_CALLERS: object = {};

/** Compiles what decides inbounds: once for all that the same permissions, and the same access policies, decide. */
export class SharedRbac {
  readonly #home: string | undefined;
  /** As long as anybody has the list, and the map. */
  readonly #known = new WeakMap<readonly Permission[], WeakMap<object, Outcomes>>();

  /** `home`: the trust domain of the zone in the mesh; undefined: nobody is asked about. */
  constructor(home?: string) {
    this.#home = home;
  }

  /**
   * `before`: what decided the inbound last, so that what differs is all that is compiled. Out: the same object for the
   * same list. Throws what `InboundRbac` throws. On TCP the name of the filter's metrics is missing.
   */
  compile(deciders: SharedDeciders, protocol: RequestSubject['protocol'], before: SharedDeciders | undefined): CompiledRbac {
    const known = this.#of(deciders).get(protocol) ?? this.#compile(deciders, protocol, before);
    if ('thrown' in known.made) throw known.made.thrown;
    return known.made.rbac;
  }

  #compile(deciders: SharedDeciders, protocol: RequestSubject['protocol'], before: SharedDeciders | undefined): CompileOutcome {
    const earlier = before && this.#of(before).get(protocol);
    // Envoys that are too old for trees are refused by the xDS server.
    const compiler = earlier?.compiler ?? new InboundRbac({ protocol, form: 'trees', statPrefix: '', home: this.#home });
    if (earlier) earlier.compiler = undefined;
    const made = attempt(compiler, deciders);
    const known = { made, compiler: 'thrown' in made ? undefined : compiler };
    this.#of(deciders).set(protocol, known);
    return known;
  }

  #of({ permissions, callers }: SharedDeciders): Outcomes {
    const beside = this.#known.get(permissions) ?? new WeakMap<object, Outcomes>();
    this.#known.set(permissions, beside);
    const found = beside.get(callers ?? NO_CALLERS) ?? new Map<RequestSubject['protocol'], CompileOutcome>();
    beside.set(callers ?? NO_CALLERS, found);
    return found;
  }
}

function attempt(compiler: InboundRbac, { permissions, callers }: SharedDeciders): CompileOutcome['made'] {
  try {
    return { rbac: compiler.compile(permissions, callers) };
  } catch (thrown) {
    return { thrown };
  }
}
