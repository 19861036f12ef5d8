import { startApi } from '../../src/api/server.ts';
import type { Place } from '../../src/resource/resource.ts';
import { type TestedApi, newApi } from '../api/harness.ts';
import type { Scope } from './scope.ts';
import { meridianctl, type CtlResult } from './meridianctl.ts';

/** What the specs share that ask a real API: one in this process, on a port of loopback. */
export interface Live {
  readonly url: string;
  readonly asked: TestedApi;
  /** Runs the command line against it. Words in the command are separated by one space. */
  run(command: string, input?: string): Promise<CtlResult>;
}

/** A control plane that stands alone, with the mesh `default`. */
export function startLive(scope: Scope, place: Place): Promise<Live> {
  return serve(scope, newApi(scope, place));
}

/** The API of a control plane that is there already. */
export async function serve(scope: Scope, asked: TestedApi): Promise<Live> {
  const { port, close } = await startApi(asked.options);
  scope.add(close);
  const url = `http://127.0.0.1:${port}`;
  return { url, asked, run: (command, input = '') => meridianctl(command.split(' '), { input, env: { MERIDIAN_URL: url } }) };
}
