import { formatKri, sameKey } from '../../resource/key.js';
import type { JsonObject } from '../../resource/resource.js';
import type { Permission } from '../decide/permissions.js';
import type { Subject } from '../decide/request.js';
import { comesThrough } from '../decide/route.js';
import type { Applied } from './applied.js';
import type { MatcherTree } from './envoy.js';
import { allowed, itemsOf } from './from.js';
import { toRules } from './principals.js';
import { type Form, SideRbac } from './side.js';

/**
 * The complete decision about some of an inbound's requests. It keeps what it was made of: what is compiled again is what differs, and
 * what came out before is changed with it.
 */
export class DecisionRbac {
  readonly #protocol: Subject['protocol'];
  readonly #enforced: SideRbac;
  readonly #shadow: SideRbac;
  #applied: readonly Applied[] = [];

  constructor(protocol: Subject['protocol'], form: Form) {
    this.#protocol = protocol;
    this.#enforced = new SideRbac('enforced', protocol, form);
    this.#shadow = new SideRbac('shadow', protocol, form);
  }

  /** `permissions`: those of the inbound, in order; they are taken as far as they are about a request like the sample. */
  update(permissions: readonly Permission[], sample: Pick<Subject, 'path' | 'method'>): void {
    const subject: Subject = { sans: [], protocol: this.#protocol, ...sample };
    const { all, out, into } = change(
      this.#applied,
      permissions.flatMap((permission) => apply(permission, subject)),
    );
    this.#applied = all;
    for (const [place, applied] of all.entries()) applied.place = place;
    this.#enforced.change(out, into);
    this.#shadow.change(out, into);
  }

  /** What an RBAC says. Where `from` alone decides these are rules, in which Envoy compares with each SAN for itself. */
  toFields(): JsonObject {
    if (this.#applied.every(({ mtp }) => mtp.shape === 'from' || mtp.shape === 'none')) {
      return { rules: this.#rules('enforced'), shadowRules: this.#rules('shadow') };
    }
    const { enforced, shadow } = this.toMatchers();
    return { matcher: enforced, shadowMatcher: shadow };
  }

  /** The same as matchers, whatever it was made of. */
  toMatchers(): { readonly enforced: MatcherTree; readonly shadow: MatcherTree } {
    return { enforced: this.#enforced.toMatcher(this.#applied), shadow: this.#shadow.toMatcher(this.#applied) };
  }

  #rules(side: 'enforced' | 'shadow'): JsonObject {
    return toRules(allowed(itemsOf(this.#applied, side)));
  }
}

type Candidate = Pick<Applied, 'key' | 'mtp' | 'certain'>;

function apply({ key, mtp, via }: Permission, subject: Subject): Candidate[] {
  const through = comesThrough(via, subject);
  return through === 'no' ? [] : [{ key, mtp, certain: through === 'yes' }];
}

/** What differs lies between what is the same at the beginning and at the end. The same stays the same object. */
function change(before: readonly Applied[], now: readonly Candidate[]): Record<'all' | 'out' | 'into', readonly Applied[]> {
  const shorter = Math.min(before.length, now.length);
  let start = 0;
  while (start < shorter && isSame(before[start], now[start])) start++;
  let end = 0;
  while (end < shorter - start && isSame(before.at(-1 - end), now.at(-1 - end))) end++;
  const into = now.slice(start, now.length - end).map((candidate) => ({ ...candidate, kri: formatKri(candidate.key), place: 0 }));
  const after = before.slice(before.length - end);
  return { all: [...before.slice(0, start), ...into, ...after], out: before.slice(start, before.length - end), into };
}

/** What was read once is one object, so that this need not look into it. */
function isSame(a: Candidate | undefined, b: Candidate | undefined): boolean {
  return a !== undefined && b !== undefined && a.mtp === b.mtp && a.certain === b.certain && sameKey(a.key, b.key);
}
