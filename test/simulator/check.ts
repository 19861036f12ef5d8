import { findReferences } from '../../src/naming/find-references.ts';
import { GLOBAL_PEER } from '../../src/resource/audience.ts';
import { type Key, keyId } from '../../src/resource/key.ts';
import type { Row } from '../../src/resource/store/store.ts';
import { rowsOf, textOf } from './content.ts';
import type { Model, Template } from './model.ts';
import type { Node } from './node.ts';
import type { World } from './world.ts';

/** Everything that is wrong now that the world is quiet again: empty when all is as it should be. */
export function violations(world: World, model: Model): readonly string[] {
  const honest = [...world.nodes.values()].filter(({ place }) => place.zone !== model.liar);
  return honest.flatMap((node) => [
    ...contentProblems(node, model),
    ...ledgerProblems(world, node, model.liar),
    ...leftOverProblems(world, node, model.liar),
  ]);
}

/** Whether the ledgers and what the commits told say that there are none: the stores themselves are read at the end. */
export function isInOrder(world: World, model: Model): boolean {
  const honest = [...world.nodes.values()].filter(({ place }) => place.zone !== model.liar);
  return (
    honest.every((node) => ledgerProblems(world, node, model.liar).length === 0) && honest.every((node) => saysWhatItShould(node, model))
  );
}

function saysWhatItShould(node: Node, model: Model): boolean {
  const expected = model.expectedAt(node.place.zone).filter(({ key }) => isSure(key, model));
  const here = [...node.content.values()].filter(({ key }) => isSure(key, model));
  const isHere = ({ key, template: { draft } }: (typeof expected)[number]) =>
    node.content.get(keyId(key))?.text === textOf(draft.spec, draft.labels);
  return here.length === expected.length && expected.every(isHere);
}

function isSure(key: Key, model: Model): boolean {
  return !model.isUnsure(key) && key.zone !== model.liar;
}

function contentProblems(node: Node, model: Model): string[] {
  const expected = new Map(model.expectedAt(node.place.zone).map((truth) => [keyId(truth.key), truth]));
  const rows = rowsOf(node.plane.store);
  const problems: string[] = [];
  for (const [id, { key, template }] of expected) {
    const row = rows.get(id);
    if (model.isUnsure(key) || key.zone === model.liar) continue;
    if (!row) problems.push(`${node.name} lacks ${show(key)}`);
    else problems.push(...rowProblems(node, row, template).map((text) => `${node.name} ${show(key)}: ${text}`));
  }
  for (const [id, row] of rows) {
    const { key } = row.resource;
    if (!expected.has(id) && !model.isUnsure(key) && key.type !== 'Zone' && key.zone !== model.liar)
      problems.push(`${node.name} has ${show(key)}, which should not be there`);
  }
  return problems;
}

function rowProblems(node: Node, { resource }: Row, template: Template): string[] {
  const problems: string[] = [];
  const { key, spec, labels, name } = resource;
  if (textOf(spec, labels) !== textOf(template.draft.spec, template.draft.labels))
    problems.push(`says ${JSON.stringify(spec)} instead of ${JSON.stringify(template.draft.spec)}`);
  if (labels['kuma.io/display-name'] !== key.name) problems.push(`has display name ${labels['kuma.io/display-name']}`);
  if ((labels['kuma.io/zone'] ?? '') !== key.zone) problems.push(`has zone ${labels['kuma.io/zone']}`);
  if (key.zone === node.place.zone && name !== key.name) problems.push(`is called ${name} at its origin`);
  return [...problems, ...referenceProblems(node, key, spec, template)];
}

/** A reference to a service that is here leads to that very service. */
function referenceProblems(node: Node, key: Key, spec: Row['resource']['spec'], { refersTo }: Template): string[] {
  if (refersTo === undefined || key.zone === node.place.zone) return [];
  const target: Key = { type: 'MeshService', mesh: key.mesh, zone: key.zone, namespace: key.namespace, name: refersTo };
  if (!node.plane.store.get(target)) return [];
  const [reference] = findReferences(key.type, spec);
  const found = reference && node.plane.store.byName(reference.kind, key.mesh, reference.namespace ?? '', reference.name);
  return found && keyId(found.resource.key) === keyId(target) ? [] : [`does not lead to ${show(target)}`];
}

/** When all is quiet, both sides of every feed know that they agree. */
export function ledgerProblems(world: World, node: Node, liar?: string): string[] {
  return honestPeers(world, node, liar).flatMap((peer) => {
    const view = node.view(peer);
    if (!view) return [`${node.name} does not run`];
    if (!view.upToDate) return [`${node.name} is not up to date with ${peer}: ${JSON.stringify(view)}`];
    return view.ack?.position?.digest === view.head.digest ? [] : [`${node.name} does not know that ${peer} is up to date`];
  });
}

/** What operators gave up is gone: all that is there was sent in the present term of its peer, and counts as of it. */
function leftOverProblems(world: World, node: Node, liar?: string): string[] {
  const { mirror } = node.plane.store;
  return honestPeers(world, node, liar).flatMap((peer) => {
    const term = mirror.position(peer)?.term;
    const older = [...mirror.each(peer)].filter((item) => item.term !== term);
    return older.map(({ key }) => `${node.name} takes ${show(key)} for what an earlier term of ${peer} left over`);
  });
}

function honestPeers(world: World, node: Node, liar?: string): readonly string[] {
  const peers = node.place.zone === '' ? world.zones.map((zone) => zone.place.zone) : [GLOBAL_PEER];
  return peers.filter((peer) => peer !== liar);
}

function show(key: Key): string {
  return `${key.type} ${key.mesh}/${key.zone}/${key.namespace}/${key.name.slice(0, 12)}`;
}
