import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, Resource } from '../../resource/resource.ts';
import { resource } from '../../../test/harness/policies.ts';
import { indexMesh } from '../match/mesh-index.ts';
import { readPolicies } from '../match/read-policies.ts';
import { toRules } from './outbound-rules.ts';

const ports = [
  { port: 80, name: 'http' },
  { port: 81, name: 'admin' },
];
const service = (name: string) => resource('MeshService', name, { selector: { dataplaneTags: { app: name } }, ports }, 'east');
const item = (targetRef: JsonObject, conf: JsonObject) => ({ targetRef, default: conf });
const policy = (name: string, ...to: JsonObject[]) => resource('MeshTimeout', name, { to }, 'east');
const onRoute = (name: string, targetRef: JsonObject, conf: JsonObject) =>
  resource('MeshTimeout', name, { targetRef, to: [item({ kind: 'Mesh' }, conf)] }, 'east');
const backend = { kind: 'MeshService', name: 'backend' };
const admin = { ...backend, sectionName: 'admin' };
const mesh = item({ kind: 'Mesh' }, { a: 1 });

/** A rule in one line: `backend:admin {"a":1} by p[1]`. */
function shown(policies: readonly Resource[]): string[] {
  const index = indexMesh([service('backend'), service('other'), resource('MeshHTTPRoute', 'r', { to: [] }, 'east')]);
  return toRules('MeshTimeout', readPolicies(policies), index).map(
    ({ resource: target, sectionName, tags, conf, origins, ruleIndexes }) => {
      const name = target?.name ?? (tags ? JSON.stringify(tags) : '*');
      const by = origins.map((key, at) => `${key.name}[${ruleIndexes[at]}]`).join(', ');
      return `${name}${sectionName && `:${sectionName}`} ${JSON.stringify(conf)} by ${by}`;
    },
  );
}

describe('toRules', () => {
  const cases: readonly (readonly [title: string, policies: readonly Resource[], rules: readonly string[]])[] = [
    ['nothing', [], []],
    ['every destination', [policy('p', mesh)], ['* {"a":1} by p[0]']],
    [
      'a service that is named, and no other',
      [policy('p', item(backend, { b: 1 }), mesh)],
      ['* {"a":1} by p[1]', 'backend {"a":1,"b":1} by p[0]'],
    ],
    [
      'a section beside the whole',
      [policy('p', item(backend, { b: 1 }), item(admin, { b: 2 }))],
      ['backend {"b":1} by p[0]', 'backend:admin {"b":2} by p[1]'],
    ],
    ['a section alone', [policy('p', item(admin, { b: 2 }))], ['backend:admin {"b":2} by p[0]']],
    [
      'the last of two policies wins',
      [policy('bbb', item(backend, { b: 1, c: 1 })), policy('aaa', item(backend, { b: 2 }))],
      ['backend {"b":2,"c":1} by bbb[0], aaa[0]'],
    ],
    [
      'a service that is known by its tag alone',
      [policy('p', item({ kind: 'MeshService', name: 'old' }, { b: 1 }), mesh)],
      ['* {"a":1} by p[1]', '{"kuma.io/service":"old"} {"a":1,"b":1} by p[0]'],
    ],
    [
      'those that have a label',
      [policy('p', item({ kind: 'MeshService', labels: { 'kuma.io/display-name': 'other' } }, { b: 1 }))],
      ['other {"b":1} by p[0]'],
    ],
    [
      'a route, and what is said of requests through it alone',
      [policy('p', mesh), onRoute('q', { kind: 'MeshHTTPRoute', name: 'r' }, { b: 1 })],
      ['* {"a":1} by p[0]', 'r {"a":1,"b":1} by p[0], q[0]'],
    ],
    ['a route that is not here', [onRoute('q', { kind: 'MeshHTTPRoute', name: 'nope' }, { b: 1 })], []],
    ['no shadow', [resource('MeshTimeout', 'p', { to: [mesh] }, 'east', { 'kuma.io/effect': 'shadow' })], []],
  ];
  for (const [title, policies, rules] of cases) it(title, () => assert.deepEqual(shown(policies), rules));
});
