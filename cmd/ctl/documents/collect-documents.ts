import { isReadOnly } from '../../../src/api/resources/read-only-kinds.ts';
import { MeridianError } from '../../../src/errors.ts';
import { compareText } from '../../../src/resource/key.ts';
import { type Kind, KINDS, kindOf } from '../../../src/resource/kinds.ts';
import { LABEL } from '../../../src/resource/labels.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { Draft, JsonObject, Place } from '../../../src/resource/resource.ts';
import { ask, askAll } from '../api/api-client.ts';
import type { Progress } from '../terminal/progress.ts';
import { collectionPath } from '../api/resource-path.ts';
import type { Server } from '../api/server-address.ts';
import { writtenOf } from './write-documents.ts';

const TRIES = 5;

/**
 * All that users wrote at a control plane (of one mesh, unless that is ''), in an order in which it can be applied:
 * meshes, zones, what policies refer to, routes, policies. Lists are read page by page while others write; so all is
 * read again until nothing changed meanwhile, or two readings are equal. Throws `conflict` when that never happens.
 */
export async function collectWritten(server: Server, place: Place, mesh: string, progress: Progress): Promise<Draft[]> {
  let earlier = '';
  for (let count = 1; count <= TRIES; count++) {
    const before = await revisionOf(server);
    const items = await readOwn(server, place, mesh, progress);
    const now = JSON.stringify(items);
    if (before === (await revisionOf(server)) || now === earlier) return toWritten(items, place);
    earlier = now;
  }
  throw new MeridianError('conflict', 'what is written here changes faster than it can be read', {
    hint: 'try again when fewer changes are made',
  });
}

async function revisionOf(server: Server): Promise<string> {
  const answer = await ask(server, '/_sync');
  const { store, term, revision } = isObject(answer) ? answer : {};
  return JSON.stringify([store, term, revision]);
}

async function readOwn(server: Server, place: Place, mesh: string, progress: Progress): Promise<JsonObject[]> {
  const own: JsonObject[] = [];
  for (const kind of kindsIn(place, mesh)) {
    const count = own.length;
    const items = await askAll(server, collectionPath(kind, mesh), {}, (read) => progress.say(`read ${count + read} resources`));
    own.push(...items.filter((item) => isOwn(item, place) && (kind.type !== 'Mesh' || mesh === '' || item.name === mesh)));
  }
  return own;
}

function kindsIn(place: Place, mesh: string): Kind[] {
  return KINDS.filter((kind) => !isReadOnly(kind, place) && (mesh === '' || kind.scope === 'Mesh' || kind.type === 'Mesh'));
}

/** The label is computed by the control plane that is asked: nobody writes it. */
function isOwn({ labels }: JsonObject, { zone }: Place): boolean {
  return isObject(labels) && labels[LABEL.origin] === (zone === '' ? 'global' : 'zone');
}

function toWritten(items: readonly JsonObject[], place: Place): Draft[] {
  return items.flatMap((item) => writtenOf(item, place) ?? []).sort(compare);
}

function compare(a: Draft, b: Draft): number {
  return (
    kindOf(a.type).applied - kindOf(b.type).applied ||
    compareText(a.type, b.type) ||
    compareText(a.mesh, b.mesh) ||
    compareText(a.namespace ?? '', b.namespace ?? '') ||
    compareText(a.name, b.name)
  );
}
