import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatKri } from '../../resource/key.ts';
import { evaluate } from '../decide/evaluate-permissions.ts';
import type { Permission } from '../decide/read-permissions.ts';
import { readRequest } from '../decide/read-request.ts';
import { InboundRbac } from './compile-rbac.ts';
import { decideByRbac, type RbacOutcome, type Wire } from '../../../test/harness/rbac-interpreter.ts';
import { isRoute } from './route-match.spec.ts';
import { permissions, type SampleShape, wire } from '../../../test/harness/rbac-samples.ts';
import { type RbacForm, REASON } from './rbac-side.ts';

const SIDES = ['enforced', 'shadow'] as const;
const RUNS = 1000;

type AgreementProtocol = 'http' | 'tcp';

function agree(given: readonly Permission[], asked: Wire, protocol: AgreementProtocol, form: RbacForm): void {
  const { filter, routes, alone } = new InboundRbac({ protocol, form, statPrefix: 'x.' }).compile(given);
  const { sans, method, path } = asked;
  const subject = readRequest({ spiffeIds: sans, method, path }, protocol, 'default');
  const seen = protocol === 'tcp' ? { sans } : asked;
  const routed = routes.find(({ match }) => isRoute(match, asked))?.rbac;
  for (const side of SIDES) {
    const { action } = evaluate(given, subject, side);
    // A listener of ours has no route for requests without a path.
    if (path !== undefined) check(decideByRbac(routed ?? filter, side, seen), action, given);
    check(decideByRbac(alone, side, seen), action, given);
  }
}

function check({ action, name }: RbacOutcome, expected: string, given: readonly Permission[]): void {
  assert.equal(action, expected);
  const kris = given.filter(({ mtp }) => mtp.shape === 'spiffe' || mtp.shape === 'broken').map(({ key }) => formatKri(key));
  assert.ok(['', 'MeshTrafficPermission', ...Object.values(REASON), ...kris].includes(name), name);
}

describe('the compiled RBAC decides as the evaluator does', () => {
  for (const shape of ['spiffe', 'from', 'mixed'] satisfies SampleShape[]) {
    for (const protocol of ['http', 'tcp'] as const) {
      for (const form of ['trees', 'list'] as const) {
        it(`${shape}, ${protocol}, as ${form}`, () =>
          fc.assert(
            fc.property(permissions(shape, false), wire, (given, asked) => agree(given, asked, protocol, form)),
            { numRuns: RUNS },
          ));
        it(`${shape}, ${protocol}, as ${form}, through routes`, () =>
          fc.assert(
            fc.property(permissions(shape, true), wire, (given, asked) => agree(given, asked, protocol, form)),
            { numRuns: RUNS },
          ));
      }
    }
  }

  it('a request without a path', () =>
    fc.assert(
      fc.property(permissions('mixed', true), wire, (given, { sans }) => agree(given, { sans, method: 'CONNECT' }, 'http', 'trees')),
      { numRuns: RUNS },
    ));
});
