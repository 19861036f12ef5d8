import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindOf } from './kinds.ts';
import { GLOBAL, type Place } from './resource.ts';
import { restName, splitRestName } from './rest-name.ts';

const KUBERNETES: Place = { zone: 'east', environment: 'kubernetes', systemNamespace: 'kuma-system' };
const UNIVERSAL: Place = { zone: 'west', environment: 'universal', systemNamespace: '' };

test('the last dot separates the namespace, where there are namespaces', () => {
  const table: readonly [type: string, text: string, place: Place, name: string, namespace: string | undefined][] = [
    ['MeshTimeout', 'a.ns', KUBERNETES, 'a', 'ns'],
    ['MeshTimeout', 'a.b.ns', KUBERNETES, 'a.b', 'ns'],
    ['MeshTimeout', 'a', KUBERNETES, 'a', undefined],
    ['MeshTimeout', 'a.ns', UNIVERSAL, 'a.ns', ''],
    ['MeshTimeout', 'a.ns', GLOBAL, 'a.ns', ''],
    ['MeshGateway', 'a.b', KUBERNETES, 'a.b', ''],
    ['Mesh', 'a', KUBERNETES, 'a', ''],
  ];
  for (const [type, text, place, name, namespace] of table) {
    assert.deepEqual(splitRestName(kindOf(type), text, place), { name, namespace }, `${type} ${text}`);
    const key = { type, mesh: '', zone: '', namespace: '', name };
    if (namespace !== undefined) assert.equal(restName({ key, name, namespace }, place), text);
  }
});
