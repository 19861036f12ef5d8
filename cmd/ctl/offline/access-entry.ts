import { invalid } from '../../../src/errors.ts';
import { type Attributes, readAttributes } from '../../../src/policy/access/attributes.ts';
import { type AccessDecision, decideAccess, type AccessQuestion } from '../../../src/policy/access/decide-access.ts';
import { attributeKey, type AttributeSet } from '../../../src/policy/access/attribute-keys.ts';
import { ACCESS_TYPES, type AccessPolicy, readAccessPolicies } from '../../../src/policy/access/access-policies.ts';
import { givenResource } from '../../../src/policy/decide/given-requests.ts';
import { formatKri, type Key } from '../../../src/resource/key.ts';
import type { Labels } from '../../../src/resource/labels.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonValue, Resource } from '../../../src/resource/resource.ts';

interface DecidedQuery {
  readonly allowed: boolean;
  readonly privileged: boolean;
  /** The policy's display name. null: no policy decided, so the connection is denied. */
  readonly decidedBy: string | null;
  readonly decidedByKri: string | null;
  /** There, and true, where no policy decided. */
  readonly default?: true;
  readonly reason: string;
  /** The display names of the shadow policies that match. */
  readonly matchedInShadow: readonly string[];
}

export interface AccessDecided {
  readonly queries: readonly DecidedQuery[];
  readonly warnings: readonly string[];
}

/**
 * Decides each query as one entry of test/reference/access-decisions.json asks it: documents as they were parsed.
 * Throws `invalid`.
 */
export function accessEntry(documents: readonly unknown[], queries: readonly unknown[]): AccessDecided {
  const resources = documents.map((value, index) => givenResource(value, `policies[${index}]`));
  const mine = resources.filter(({ key }) => ACCESS_TYPES.includes(key.type));
  const policies = readAccessPolicies(mine, { mesh: onlyOne(mine, 'mesh'), zone: onlyOne(mine, 'zone') });
  const asked = queries.map(readQuery);
  return {
    queries: asked.map(({ question }) => show(decideAccess(policies, question))),
    warnings: [...passedOver(resources), ...policies.flatMap(ofPolicy), ...asked.flatMap(({ warnings }) => warnings)],
  };
}

/** Policies of several meshes or zones are never in force together. '' is global's zone, and in every zone. */
function onlyOne(resources: readonly Resource[], part: 'mesh' | 'zone'): string {
  const all = [...new Set(resources.map(({ key }) => key[part]))].filter((name) => name !== '');
  if (all.length > 1)
    throw invalid([{ field: 'policies', reason: `are of several ${part}${part === 'mesh' ? 'es' : 's'}: ${all.join(', ')}` }]);
  return all[0] ?? '';
}

function passedOver(resources: readonly Resource[]): string[] {
  const others = resources.filter(({ key }) => !ACCESS_TYPES.includes(key.type));
  return others.map(({ key }) => `${key.type} ${key.name} is no access policy and is not asked`);
}

function ofPolicy({ key, action, unknown }: AccessPolicy): string[] {
  const effect = action === 'allow' ? 'it allows nobody by what names it' : 'it denies as if that were not there';
  return unknown.map((what) => `${key.type} ${key.name}: ${what} is an attribute that nobody can have: ${effect}`);
}

function show({ decidedBy, matchedInShadow, ...decision }: AccessDecision): DecidedQuery {
  return {
    ...decision,
    decidedBy: decidedBy?.name ?? null,
    decidedByKri: decidedBy ? formatKri(decidedBy) : null,
    matchedInShadow: matchedInShadow.map(({ name }: Key) => name),
  };
}

/** What the verdict of a reference entry says is passed over. */
const FIELDS = ['from', 'to', 'namespace', 'allowed', 'privileged', 'default', 'decidedBy'];

interface ReadQuery {
  readonly question: AccessQuestion;
  readonly warnings: readonly string[];
}

function readQuery(value: unknown, index: number): ReadQuery {
  const at = `queries[${index}]`;
  if (!isObject(value)) throw invalid([{ field: at, reason: 'must be an object' }]);
  const unknown = Object.keys(value).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) throw invalid([{ field: at, reason: `has an unknown field: ${JSON.stringify(unknown)}` }]);
  const { namespace } = value;
  if (typeof namespace !== 'string') throw invalid([{ field: `${at}.namespace`, reason: "must be a string ('' where there are none)" }]);
  const [from, to] = [readSet('source', value.from, `${at}.from`), readSet('destination', value.to, `${at}.to`)];
  return { question: { source: from.attributes, destination: to.attributes, namespace }, warnings: [...from.warnings, ...to.warnings] };
}

function readSet(side: AttributeSet, value: JsonValue | undefined, field: string): { attributes: Attributes; warnings: string[] } {
  if (!isTexts(value)) throw invalid([{ field, reason: 'must be an object of strings' }]);
  const attributes = readAttributes(side, value);
  if (!attributes) throw invalid([{ field, reason: 'gives one attribute two values' }]);
  const unknown = Object.keys(value).filter((key) => attributeKey(side, key) === undefined);
  return { attributes, warnings: unknown.map((key) => `${field}: ${JSON.stringify(key)} is no attribute of a ${side}, and says nothing`) };
}

function isTexts(value: JsonValue | undefined): value is Labels {
  return isObject(value) && Object.values(value).every((text) => typeof text === 'string');
}
