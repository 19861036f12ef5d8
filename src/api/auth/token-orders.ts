import { invalid, type Problem } from '../../errors.ts';
import { isObject, quote } from '../../resource/field-path.ts';
import type { JsonObject, Place } from '../../resource/resource.ts';
import { type Grant, grantOfGroups, readGrant } from './grant.ts';
import { secondsOf, VALID_FOR } from './valid-for.ts';

/** What somebody wants a token for. */
export interface WantedToken extends Grant {
  readonly name: string;
  readonly validFor: number;
}

/** `{name, role, zone?, validFor}`. Throws `invalid` with all that is wrong. */
export function readTokenOrder(value: unknown, place: Place): WantedToken {
  return read(value, ['name', 'role', 'zone', 'validFor'], (body, problems) => ({
    name: readName(body.name, problems),
    ...readGrant(body.role, body.zone, place, problems),
    validFor: readValidFor(body.validFor, problems),
  }));
}

/** Kuma's `{name, groups, validFor}`; kumactl sends null for no groups. Throws `invalid` with all that is wrong. */
export function readUserOrder(value: unknown, place: Place): WantedToken {
  return read(value, ['name', 'groups', 'validFor'], (body, problems) => ({
    name: readName(body.name, problems),
    ...grantOfGroups(readGroups(body.groups, problems), place, problems),
    validFor: readValidFor(body.validFor, problems),
  }));
}

/** `{revoke?: boolean}`. Throws `invalid`. */
export function readKeyOrder(value: unknown): { readonly revoke: boolean } {
  return read(value, ['revoke'], ({ revoke = false }, problems) => {
    if (typeof revoke !== 'boolean') problems.push({ field: 'revoke', reason: 'must be true or false' });
    return { revoke: revoke === true };
  });
}

function read<T>(value: unknown, fields: readonly string[], toOrder: (body: JsonObject, problems: Problem[]) => T): T {
  if (!isObject(value)) throw invalid([{ field: 'document', reason: 'must be an object' }]);
  const problems: Problem[] = Object.keys(value)
    .filter((field) => !fields.includes(field))
    .map((field) => ({ field: quote(field), reason: `must be one of ${fields.join(', ')}` }));
  const order = toOrder(value, problems);
  if (problems.length > 0) throw invalid(problems);
  return order;
}

function readName(value: unknown, problems: Problem[]): string {
  if (typeof value === 'string' && /^[^\p{C}]{1,128}$/u.test(value)) return value;
  problems.push({ field: 'name', reason: 'must be 1 to 128 characters, none of them a control character' });
  return '';
}

function readValidFor(value: unknown, problems: Problem[]): number {
  const seconds = secondsOf(value);
  if (seconds === undefined) problems.push({ field: 'validFor', reason: `must be ${VALID_FOR}` });
  return seconds ?? 0;
}

function readGroups(value: unknown, problems: Problem[]): readonly string[] {
  const groups: unknown = value ?? [];
  if (Array.isArray(groups) && groups.every((group): group is string => typeof group === 'string')) return groups;
  problems.push({ field: 'groups', reason: 'must be a list of names' });
  return [];
}
