import { zoneState } from '../../src/control/peers/zone-state.ts';
import { MeridianError } from '../../src/errors.ts';
import type { Key } from '../../src/resource/key.ts';
import type { Draft, JsonObject, Place } from '../../src/resource/resource.ts';
import type { Model, Template } from './model.ts';
import type { Node } from './node.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';
import { deleteResource, writeDrafts } from '../harness/write-drafts.ts';

const NAMES = ['a', 'b', 'c', 'backend', 'with.dots', 'x'.repeat(63)];
/** `east` and `1a`, `east1` and `a`: one hashed name for both, if nobody takes care. */
const NAMESPACES = ['app', 'a', '1a'];
const MESHES = ['default', 'default', 'second'];

/** One user does one thing somewhere. */
export function act(world: World, model: Model): void {
  const node = world.random.pick([...world.nodes.values()]);
  if (!node.up) return;
  if (world.random.chance(0.2)) remove(world, model, node);
  else apply(world, model, node);
}

/**
 * An operator disables or enables a zone, if it ever came: it sends and gets nothing meanwhile, and nothing is taken
 * away.
 */
export function setEnabled(world: World, zone: string, enabled: boolean): void {
  const { global } = world;
  if (zoneState(global.plane.store, zone) !== (enabled ? 'disabled' : 'enabled')) return;
  world.log(`global ${enabled ? 'enables' : 'disables'} ${zone}`);
  const draft = make('Zone', '', zone, undefined, { enabled });
  global.write((plane) => writeDrafts(plane, [draft]));
}

/** One user applies a few resources to `node`, at most so many. */
export function apply(world: World, model: Model, node: Node, most = 4): void {
  const templates = Array.from({ length: 1 + world.random.below(most) }, () => choose(world, node.place));
  const byId = new Map(templates.map((template) => [JSON.stringify(keyAt(node.place, template.draft)), template]));
  const chosen = [...byId.values()];
  world.log(
    `${node.name} applies ${chosen.map(({ draft }) => `${draft.type} ${draft.mesh}/${draft.namespace ?? ''}/${draft.name}`).join(', ')}`,
  );
  const drafts = chosen.map(({ draft }) => draft);
  for (const template of chosen) model.tried(keyAt(node.place, template.draft), template);
  settle(
    () => node.write((plane) => writeDrafts(plane, drafts)),
    (done) => {
      for (const template of chosen) model.written(keyAt(node.place, template.draft), template, done);
    },
  );
}

function remove(world: World, model: Model, node: Node): void {
  const own = model.all().filter(({ key, template }) => template && key.zone === node.place.zone && key.type !== 'Mesh');
  if (own.length === 0) return;
  const { key } = world.random.pick(own);
  world.log(`${node.name} deletes ${key.type} ${key.mesh}/${key.namespace}/${key.name}`);
  settle(
    () => node.write((plane) => deleteResource(plane, key)),
    (done) => model.written(key, undefined, done),
  );
}

/** A refusal changes nothing; a crash leaves it open whether the write was committed. */
function settle(write: () => { done: boolean }, record: (done: boolean) => void): void {
  try {
    record(write().done);
  } catch (thrown) {
    if (thrown instanceof MeridianError && (thrown.code === 'not_found' || thrown.code === 'conflict')) return;
    throw thrown;
  }
}

function keyAt(place: Place, draft: Draft): Key {
  const global = draft.type === 'Mesh';
  const namespaced = place.environment === 'kubernetes' && !global;
  return {
    type: draft.type,
    mesh: draft.mesh,
    zone: place.zone,
    namespace: namespaced ? (draft.namespace ?? place.systemNamespace) : '',
    name: draft.name,
  };
}

function choose(world: World, place: Place): Template {
  if (place.zone === '') return chooseGlobal(world.random);
  return place.environment === 'kubernetes' ? chooseKubernetes(world, place) : chooseUniversal(world.random);
}

function conf(random: Random): JsonObject {
  return { connectionTimeout: `${random.below(1000)}s` };
}

function chooseGlobal(random: Random): Template {
  if (random.chance(0.1))
    return { draft: make('Mesh', '', 'second', undefined, { mtls: { enabledBackend: `b${random.below(3)}` } }), reach: 'all' };
  const spec = { targetRef: { kind: 'Mesh' }, to: [{ targetRef: { kind: 'Mesh' }, default: conf(random) }] };
  const silent = random.chance(0.1);
  const draft = make(
    'MeshTimeout',
    random.pick(MESHES),
    random.pick(NAMES),
    undefined,
    spec,
    silent ? { 'kuma.io/kds-sync': 'disabled' } : {},
  );
  return { draft, reach: silent ? 'none' : 'all' };
}

function chooseUniversal(random: Random): Template {
  if (random.chance(0.4))
    return {
      draft: make('MeshService', 'default', random.pick(NAMES), undefined, { ports: [{ port: 1 + random.below(9) }] }),
      reach: 'all',
    };
  const spec = { to: [{ targetRef: { kind: 'MeshService', name: random.pick(NAMES) }, default: conf(random) }] };
  return { draft: make('MeshRetry', random.pick(MESHES), random.pick(NAMES), undefined, spec), reach: 'global' };
}

function chooseKubernetes(world: World, place: Place): Template {
  const { random } = world;
  const mesh = random.pick(MESHES);
  const name = random.pick(NAMES);
  const namespace = random.pick(NAMESPACES);
  const service = random.pick(NAMES);
  const producer = [{ targetRef: { kind: 'MeshService', name: service }, default: conf(random) }];
  const other = random.pick(world.zones).place.zone;
  const pinned = { kind: 'MeshSubset', tags: { 'kuma.io/zone': other } };
  const external = [{ targetRef: { kind: 'MeshExternalService', name: 'ext' }, default: conf(random) }];
  const choices: readonly (() => Template)[] = [
    () => ({ draft: make('MeshTimeout', mesh, name, namespace, { to: producer }), reach: 'all', refersTo: service }),
    () => ({
      draft: make('MeshTimeout', mesh, name, namespace, { targetRef: pinned, to: producer }),
      reach: other === place.zone ? 'global' : { pinned: other },
    }),
    () => ({
      draft: make('MeshTimeout', mesh, name, namespace, { to: [{ targetRef: { kind: 'Mesh' }, default: conf(random) }] }),
      reach: 'global',
    }),
    () => ({ draft: make('MeshTimeout', mesh, name, namespace, { to: external }), reach: 'global' }),
    () => ({ draft: make('MeshTimeout', mesh, name, undefined, { to: producer }), reach: 'global' }),
    () => ({
      draft: make('MeshTrafficPermission', mesh, name, namespace, { from: [{ targetRef: { kind: 'Mesh' }, default: { action: 'Deny' } }] }),
      reach: 'global',
    }),
    () => ({ draft: make('MeshService', mesh, name, namespace, { ports: [{ port: 1 + random.below(9) }] }), reach: 'all' }),
    () => ({
      draft: make('MeshService', mesh, name, namespace, { ports: [{ port: 1 }] }, { 'kuma.io/kds-sync': 'disabled' }),
      reach: 'none',
    }),
  ];
  return random.pick(choices)();
}

function make(
  type: string,
  mesh: string,
  name: string,
  namespace: string | undefined,
  spec: JsonObject,
  labels: Draft['labels'] = {},
): Draft {
  return { type, mesh, name, namespace, labels, spec };
}
