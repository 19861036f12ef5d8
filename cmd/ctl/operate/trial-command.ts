import { join } from 'node:path';
import type { Command } from 'commander';
import { invalid, MeridianError } from '../../../src/errors.ts';
import { optionsOf } from '../input/options.ts';
import { replaceFile } from '../input/replace-file.ts';
import { print } from '../terminal/output.ts';

interface CertsOptions {
  readonly trial?: boolean;
  readonly dir: string;
  readonly id?: string;
  readonly caller: Readonly<Record<string, string>>;
}

const HELP = `
A zone's Envoys prove who they are by certificates that Meridian does not make: SPIRE, cert-manager or a CA of your own does. --trial makes some to try
with on this machine: for a proxy where MERIDIAN_PROXY_CERT_DIR=DIR finds them, for callers one file each. They are good for seven days. The CA's key lies
in DIR too: whoever reads it can be anybody, so use them for nothing else.
  meridianctl envoy certs orders-1.shop --trial --caller web=spiffe://default.east.mesh.local/ns/shop/sa/web
  curl --cacert certs/ca.pem --cert certs/web.pem https://localhost:8080/`;

/** `envoy certs`: certificates for a trial on one machine. */
export function addTrialCertificates(envoy: Command): void {
  envoy
    .command('certs')
    .description('Makes certificates for a trial on this machine: of a proxy, and of callers.')
    .argument('[dataplane]', "its name in the zone's REST API")
    .option('--trial', 'that they are for a trial: there are no others')
    .option('--dir <dir>', 'the folder that gets them, and the CA that made them', 'certs')
    .option('--id <spiffe-id>', "the proxy's own SPIFFE ID; callers of this machine need none of it")
    .option('--caller <name=spiffe-id>', 'a caller: NAME.pem gets its certificate and key; can be said again', addCaller, {})
    .addHelpText('after', HELP)
    .action(makeCertificates);
}

async function makeCertificates(dataplane: string | undefined, options: CertsOptions, command: Command): Promise<void> {
  const { trial, dir, id, caller } = options;
  const { mesh } = optionsOf(command);
  if (trial !== true) {
    throw new MeridianError('invalid', 'certificates that count are not made here', {
      hint: 'say --trial for some to try with; else let SPIRE, cert-manager or your CA make them',
    });
  }
  const { issueTrial, trialCa } = await import('./trial-certificates.ts');
  const ca = await trialCa(dir);
  const written: string[] = [];
  const write = (file: string, text: string) => {
    replaceFile(join(dir, file), text);
    written.push(join(dir, file));
  };
  if (dataplane !== undefined) {
    const place = join(asFolder('--mesh', mesh), asFolder('dataplane', dataplane));
    const own = await issueTrial(ca, id === undefined ? undefined : asSpiffeId('--id', id));
    for (const [name, text] of Object.entries({ ca: ca.pem, ...own })) write(join(place, `${name}.pem`), text);
  }
  for (const [name, spiffeId] of Object.entries(caller)) {
    const { cert, key } = await issueTrial(ca, spiffeId);
    write(`${name}.pem`, `${cert}${key}`);
  }
  await print(optionsOf(command), { ca: join(dir, 'ca.pem'), files: written }, () => written.map((file) => `wrote ${file}\n`).join(''));
}

/** web=spiffe://a/b  ->  {web: 'spiffe://a/b'} beside those that were said before. */
function addCaller(text: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const [, name = '', id = ''] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  if (asFolder('--caller', name) === 'ca') throw invalid([{ field: '--caller', reason: 'ca.pem is the CA: call it otherwise' }]);
  return { ...before, [name]: asSpiffeId('--caller', id) };
}

/** A part of a path, which leads nowhere else. */
function asFolder(field: string, text: string): string {
  if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text) && !text.includes('..')) return text;
  throw invalid([{ field, reason: 'must be a name of letters, digits, dots and dashes' }]);
}

function asSpiffeId(field: string, text: string): string {
  if (/^spiffe:\/\/[a-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/.test(text)) return text;
  throw invalid([{ field, reason: 'must be a SPIFFE ID, like spiffe://default.east.mesh.local/ns/shop/sa/web' }]);
}
