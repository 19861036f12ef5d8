import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadPolicy } from '@open-policy-agent/opa-wasm';
import { findProgram } from '../../test/harness/programs.ts';
import type { MadeRequest } from './made-policies.ts';
import type { AccessVerdict } from './verdict.ts';

export const OPA_VERSION = '1.22.4';

/** A real Go, which builds OPA: $GO, or the PATH's. */
const GO = findProgram('GO', 'go');
export const NO_GO = GO === undefined ? 'there is no go: set GO to compare with OPA' : false;

type OpaInput = Pick<MadeRequest, 'from' | 'to' | 'namespace'>;

/** OPA with these rules, each way to run it. */
export interface OpaEngines {
  /** As WebAssembly in this process. */
  readonly wasm: (input: OpaInput) => AccessVerdict;
  readonly wasmBytes: () => number;
  /** In a process of its own, with inputs that are parsed already. */
  readonly go: (inputs: readonly OpaInput[]) => OpaRun;
}

interface OpaRun {
  readonly answers: readonly AccessVerdict[];
  readonly coldMs: number;
  readonly warmMs: number;
  readonly megabytes: number;
}

/** Builds OPA where it is not built yet. `folder`: for what is made of the rules. Throws where Go can't build it. */
export async function prepareOpa(rules: string, folder: string): Promise<OpaEngines> {
  const program = buildProgram();
  const [rego, wasm, asked] = ['access.rego', 'access.wasm', 'asked.json'].map((name) => join(folder, name)) as [string, string, string];
  writeFileSync(rego, rules);
  execFileSync(program, ['wasm', rego, wasm]);
  const policy = await loadPolicy(readFileSync(wasm));
  return {
    wasm: (input) => (policy.evaluate(input) as readonly { readonly answer: AccessVerdict }[])[0]?.answer ?? 'default deny',
    wasmBytes: () => policy.mem.buffer.byteLength,
    go: (inputs) => {
      writeFileSync(asked, JSON.stringify(inputs));
      return JSON.parse(execFileSync(program, ['ask', rego, asked], { encoding: 'utf8', maxBuffer: 1e9 })) as OpaRun;
    },
  };
}

/** Kept in .tools, as the other programs that are fetched. */
function buildProgram(): string {
  const folder = fileURLToPath(new URL(`../../.tools/opa-${OPA_VERSION}`, import.meta.url));
  const source = fileURLToPath(new URL('opa-program.go', import.meta.url));
  const [copy, program] = [join(folder, 'main.go'), join(folder, 'opa-program')];
  if (existsSync(program) && readFileSync(copy, 'utf8') === readFileSync(source, 'utf8')) return program;
  mkdirSync(folder, { recursive: true });
  copyFileSync(source, copy);
  const go = (...words: string[]) => execFileSync(GO ?? '', words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  if (!existsSync(join(folder, 'go.mod'))) go('mod', 'init', 'opa-program');
  go('get', `github.com/open-policy-agent/opa@v${OPA_VERSION}`);
  go('build', '-buildvcs=false', '-o', program, '.');
  return program;
}
