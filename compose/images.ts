import { until } from '../test/harness/until.ts';
import { run } from './containers.ts';

const LARGEST = 150_000_000;
const USER = '65532:65532';
const IMAGES = { 'meridian-global': true, 'meridian-zone': true, meridianctl: false } as const;

interface Image {
  readonly Size: number;
  readonly Config: { readonly User: string; readonly Entrypoint: readonly string[]; readonly Healthcheck?: object };
}

/** Tries what the images promise. In: their tag. Out: what is not so, none: all is. */
export async function imageFaults(tag: string): Promise<string[]> {
  const faults: string[] = [];
  const expect = (image: string, what: string, isSo: boolean, seen: unknown): void => {
    if (!isSo) faults.push(`${image}: ${what}, but: ${JSON.stringify(seen)}`);
  };
  for (const [name, isDaemon] of Object.entries(IMAGES)) {
    const image = `${name}:${tag}`;
    const [{ Size, Config }] = JSON.parse((await docker('image', 'inspect', image)).out) as [Image];
    expect(name, `is smaller than ${LARGEST / 1e6} MB`, Size < LARGEST, Size);
    expect(name, `runs as ${USER}`, Config.User === USER, Config.User);
    expect(name, 'starts the program of its name', Config.Entrypoint.join() === name, Config.Entrypoint);
    expect(name, 'has a health check if it is a daemon', (Config.Healthcheck !== undefined) === isDaemon, Config.Healthcheck);
    const help = await docker('run', '--rm', '--read-only', '--network', 'none', image, '--help');
    expect(name, 'runs, and says how it is used', help.code === 0 && help.out.includes(name), help);
    const own = await docker('run', '--rm', '--entrypoint', 'node', image, '-e', TRY_TO_WRITE);
    expect(name, 'writes to /data alone', own.out.trim() === '65532 /data', own);
    const version = await docker('run', '--rm', '--entrypoint', 'meridianctl', image, 'version', '--help');
    expect(name, 'has meridianctl on its PATH', version.code === 0, version);
  }
  await expectHealth(`meridian-zone:${tag}`, expect);
  return faults;
}

/** Its root file system is only read, in Docker's word, and it is healthy once it is ready. */
async function expectHealth(image: string, expect: (image: string, what: string, isSo: boolean, seen: unknown) => void): Promise<void> {
  const settings = ['-e', 'MERIDIAN_ZONE_NAME=z', '-e', 'MERIDIAN_NATS_URL=', '--network', 'none'];
  const { out, err } = await docker('run', '-d', '--read-only', '--tmpfs', '/tmp', '-v', '/data', ...settings, image);
  const id = out.trim();
  expect(image, 'starts', id !== '', err);
  if (id === '') return;
  try {
    const health = async (): Promise<string> => (await docker('inspect', '-f', '{{.State.Health.Status}}', id)).out.trim();
    await until('the health check ends', async () => (await health()) !== 'starting');
    expect(image, 'is healthy', (await health()) === 'healthy', (await docker('logs', id)).out);
    const elsewhere = await docker('exec', '-e', 'MERIDIAN_DIAGNOSTICS_PORT=1', id, 'node', '/app/healthy.mjs');
    expect(image, 'is not healthy when nothing answers', elsewhere.code === 1, elsewhere);
  } finally {
    await docker('rm', '-f', '-v', id);
  }
}

/** Prints who runs it, and where it may write. */
const TRY_TO_WRITE = `
  const fs = require('node:fs');
  const may = ['/', '/app', '/etc', '/usr/local/bin', '/data'].filter((folder) => {
    try {
      fs.writeFileSync(folder + '/tried', '');
      return true;
    } catch {
      return false;
    }
  });
  console.log(process.getuid(), ...may);
`;

function docker(...args: readonly string[]): ReturnType<typeof run> {
  return run('docker', args);
}
