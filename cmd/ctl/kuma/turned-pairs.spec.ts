import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GLOBAL, type JsonObject } from '../../../src/resource/resource.ts';
import { type TurnedPair, turnedPairs } from './turned-pairs.ts';

const BARE: JsonObject = { kind: 'Dataplane' };
const NAMED: JsonObject = { kind: 'Dataplane', name: 'web-1' };
const section = (ref: JsonObject): JsonObject => ({ ...ref, sectionName: 'main' });

function permission(name: string, targetRef: JsonObject, action: string, mesh = 'default'): JsonObject {
  return { type: 'MeshTrafficPermission', mesh, name, spec: { targetRef, from: [{ targetRef: { kind: 'Mesh' }, default: { action } }] } };
}

const turned: TurnedPair = { type: 'MeshTrafficPermission', mesh: 'default', kuma: 'aaa', here: 'zzz' };

describe('pairs of an import whose verdict another precedence changes', () => {
  const lists = (name: string, targetRef: JsonObject): JsonObject => ({
    ...permission(name, targetRef, 'Allow'),
    spec: { targetRef, default: { deny: [{ spiffeId: { type: 'Exact', value: `spiffe://td/${name}` } }] } },
  });
  const CASES: readonly [title: string, documents: readonly unknown[], pairs: readonly TurnedPair[]][] = [
    ['a bare one with the name that wins', [permission('aaa', BARE, 'Deny'), permission('zzz', NAMED, 'Allow')], [turned]],
    ['in any order', [permission('zzz', NAMED, 'Allow'), permission('aaa', BARE, 'Deny')], [turned]],
    ['a bare one with the name that loses', [permission('zzz', BARE, 'Deny'), permission('aaa', NAMED, 'Allow')], []],
    [
      'a bare one with a section',
      [permission('zzz', section(BARE), 'Deny'), permission('aaa', NAMED, 'Allow')],
      [{ ...turned, kuma: 'zzz', here: 'aaa' }],
    ],
    ['a name with a section', [permission('aaa', BARE, 'Deny'), permission('zzz', section(NAMED), 'Allow')], []],
    ['both with a section', [permission('aaa', section(BARE), 'Deny'), permission('zzz', section(NAMED), 'Allow')], [turned]],
    ['two that say the same', [permission('aaa', BARE, 'Deny'), permission('zzz', NAMED, 'Deny')], []],
    ['labels', [permission('aaa', { ...BARE, labels: { app: 'web' } }, 'Deny'), permission('zzz', NAMED, 'Allow')], []],
    ['other meshes', [permission('aaa', BARE, 'Deny', 'other'), permission('zzz', NAMED, 'Allow')], []],
    ['lists, whose order decides nothing', [lists('aaa', BARE), lists('zzz', NAMED)], []],
    ['what is no policy', [{ type: 'Mesh', name: 'm' }, 'text', 7, permission('zzz', NAMED, 'Allow')], []],
  ];
  for (const [title, documents, pairs] of CASES) it(title, () => assert.deepEqual(turnedPairs(documents, GLOBAL), pairs));
});
