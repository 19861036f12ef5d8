import type { Permission } from '../../policy/decide/read-permissions.ts';
import type { RequestSubject } from '../../policy/decide/read-request.ts';
import { type CompiledRbac, InboundRbac } from '../../policy/rbac/compile-rbac.ts';

interface CompileOutcome {
  /** What can't be compiled is not tried again. */
  readonly made: { readonly rbac: CompiledRbac } | { readonly thrown: unknown };
  /** undefined: it compiles other permissions by now. */
  compiler: InboundRbac | undefined;
}

/** Compiles what decides inbounds: once for all that the same list of permissions decides. */
export class SharedRbac {
  /** As long as anybody has the list. */
  readonly #known = new WeakMap<readonly Permission[], Map<RequestSubject['protocol'], CompileOutcome>>();

  /**
   * `before`: what decided the inbound last, so that what differs is all that is compiled. Out: the same object for the
   * same list. Throws what `InboundRbac` throws. On TCP the name of the filter's metrics is missing.
   */
  compile(
    permissions: readonly Permission[],
    protocol: RequestSubject['protocol'],
    before: readonly Permission[] | undefined,
  ): CompiledRbac {
    const known = this.#of(permissions).get(protocol) ?? this.#compile(permissions, protocol, before);
    if ('thrown' in known.made) throw known.made.thrown;
    return known.made.rbac;
  }

  #compile(
    permissions: readonly Permission[],
    protocol: RequestSubject['protocol'],
    before: readonly Permission[] | undefined,
  ): CompileOutcome {
    const earlier = before && this.#of(before).get(protocol);
    // Envoys that are too old for trees are refused by the xDS server.
    const compiler = earlier?.compiler ?? new InboundRbac({ protocol, form: 'trees', statPrefix: '' });
    if (earlier) earlier.compiler = undefined;
    const made = attempt(compiler, permissions);
    const known = { made, compiler: 'thrown' in made ? undefined : compiler };
    this.#of(permissions).set(protocol, known);
    return known;
  }

  #of(permissions: readonly Permission[]): Map<RequestSubject['protocol'], CompileOutcome> {
    const found = this.#known.get(permissions) ?? new Map<RequestSubject['protocol'], CompileOutcome>();
    this.#known.set(permissions, found);
    return found;
  }
}

function attempt(compiler: InboundRbac, permissions: readonly Permission[]): CompileOutcome['made'] {
  try {
    return { rbac: compiler.compile(permissions) };
  } catch (thrown) {
    return { thrown };
  }
}
