import { MeridianError } from '../../../src/errors.ts';
import { nearest } from '../../../src/resource/documents/nearest-word.ts';
import { textOf } from '../terminal/printable.ts';
import type { NamedResource } from '../input/resource-names.ts';
import { ask, listOf } from './api-client.ts';
import { collectionPath, resourceTitle } from './resource-path.ts';
import type { Server } from './server-address.ts';

/** Names of this many resources are compared with what was typed. */
const MOST = '1000';

/**
 * Does what is asked of one resource. Where it is not there, the error says what was looked for, and which name is
 * near. Anything else is thrown as it is.
 */
export async function withNearName<T>(server: Server, resource: NamedResource, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof MeridianError && thrown.code === 'not_found' ? await withName(server, resource, thrown) : thrown;
  }
}

async function withName(server: Server, { kind, mesh, name }: NamedResource, error: MeridianError): Promise<MeridianError> {
  const near = nearest(name, await namesOf(server, collectionPath(kind, mesh)));
  const hint = near === undefined ? error.hint : `did you mean ${resourceTitle(kind.type, mesh, near)}?`;
  const message = `${resourceTitle(kind.type, mesh, name)} does not exist at ${server.url}`;
  return new MeridianError('not_found', message, { problems: error.problems, ...(hint === undefined ? {} : { hint }) });
}

/** A guess must not hide the error that it is made for. */
async function namesOf(server: Server, path: string): Promise<string[]> {
  try {
    return listOf(server, await ask(server, path, { query: { size: MOST } }), 'items').map(({ name }) => textOf(name));
  } catch {
    return [];
  }
}
