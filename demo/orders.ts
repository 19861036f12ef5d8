import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../src/resource/resource.ts';
import { startHttpApplication } from '../test/harness/application.ts';
import { httpCaller } from '../test/harness/caller.ts';
import { startEnvoy } from '../test/harness/envoy.ts';
import type { Scope } from '../test/harness/scope.ts';
import { until } from '../test/harness/until.ts';
import type { Meridianctl } from './ctl.ts';
import { freePort, type Processes } from './processes.ts';
import { command, expect, printed } from './tell.ts';

/** The application `orders` in the zone east, with an Envoy in front of it that does what east says. */
export interface Orders {
  /** The line that calls it by hand. */
  curl(caller: CallerName): string;
  /** Shows a call, made again until it is answered with this status. */
  call(caller: CallerName, status: 200 | 403): Promise<void>;
}

/** Who calls: a name of CALLERS. */
export type CallerName = keyof typeof CALLERS;

const CALLERS = {
  web: 'spiffe://default.east.mesh.local/ns/shop/sa/web',
  old: 'spiffe://default.east.mesh.local/ns/legacy/sa/old',
} as const;

const NAME = 'orders-1.shop';

/** Starts the application and its Envoy. Throws where there is no Envoy, with what to do about it. */
export async function startOrders(scope: Scope, ctl: Meridianctl, { folder, xdsAddress }: Processes): Promise<Orders> {
  const port = await freePort(8080);
  await describe(ctl, folder, port, await startHttpApplication(scope));
  const callers = Object.entries(CALLERS).map(([name, id]) => `--caller ${name}=${id}`);
  await ctl.run(`envoy certs ${NAME} --trial --dir ${folder} ${callers.join(' ')}`);
  const bootstrap = await ctl.run(`envoy bootstrap ${NAME} --context east --xds-address ${xdsAddress} --admin-port 0`);
  await startEnvoy(scope, JSON.parse(bootstrap) as JsonObject);
  const curl = (caller: CallerName) => `curl --cacert ${folder}/ca.pem --cert ${folder}/${caller}.pem https://127.0.0.1:${port}/`;
  const ask = callersOf(scope, folder, port);
  return {
    curl,
    async call(caller, status) {
      command(curl(caller));
      const answer = await until(`${caller} gets ${status}`, async () => {
        const last = await ask[caller].ask();
        return last.status === status ? last : Promise.reject(new Error(JSON.stringify(last)));
      });
      expect(`the call of ${caller}`, answer.status, status);
      printed(`${answer.status}  ${answer.body}`, status === 200 ? 'green' : 'red');
    },
  };
}

function callersOf(scope: Scope, folder: string, port: number) {
  const caller = (name: CallerName) => {
    const both = join(folder, `${name}.pem`);
    return httpCaller(scope, port, { ca: join(folder, 'ca.pem'), cert: both, key: both });
  };
  return { web: caller('web'), old: caller('old') };
}

/** Writes its Dataplane in east. */
async function describe(ctl: Meridianctl, folder: string, port: number, servicePort: number): Promise<void> {
  const tags = { 'kuma.io/service': 'orders', 'kuma.io/protocol': 'http' };
  const networking = { address: '127.0.0.1', inbound: [{ port, servicePort, name: 'http', tags }] };
  const labels = { app: 'orders', 'k8s.kuma.io/namespace': 'shop' };
  const file = join(folder, 'orders.json');
  writeFileSync(file, JSON.stringify({ type: 'Dataplane', mesh: 'default', name: 'orders-1', labels, networking }));
  await ctl.run(`apply -f ${file} --context east`);
}
