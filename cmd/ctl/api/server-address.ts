import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { isLoopbackHost } from '../../../src/resource/ip-address.ts';
import { MeridianError } from '../../../src/errors.ts';
import { type ControlPlane, contextsPath, readContexts } from '../contexts/file.ts';
import { DEFAULT_URL, isGiven, optionsOf } from '../input/options.ts';
import { note } from '../terminal/output.ts';

/** A control plane to ask, and what is needed for it. */
export interface Server {
  /** Without a slash at its end. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`. */
  readonly token: string | undefined;
  /** PEM: the only CA that is believed, when given. */
  readonly ca: string | undefined;
  /** false: any certificate is believed. */
  readonly verify: boolean;
}

/**
 * The control plane that a command is for. What is nearer to the command wins: its own options, then variables, then
 * the current context. A context's token goes to the context's address alone. Throws `not_found` for an unknown
 * context, `forbidden` for a token that would be sent in the clear, and what the files can't be read with.
 *
 *   --url U, or --context C             -> U, or C's address
 *   MERIDIAN_URL, else the file's current context, else http://127.0.0.1:5681
 *   --token-file F; MERIDIAN_TOKEN and MERIDIAN_TOKEN_FILE, unless --context; the context's
 */
export function serverOf(command: Command): Server {
  const { url, context } = optionsOf(command);
  if (isGiven(command, 'url') && context !== undefined)
    command.error('error: --url and --context name a control plane each: leave one out');
  const chosen = context === undefined && url !== undefined ? undefined : findContext(context);
  const address = chosen?.address ?? url ?? DEFAULT_URL;
  return serverAt(command, { ...chosen, address }, tokenGiven(command, context !== undefined));
}

/**
 * A control plane that the file of contexts has, or an address. `token`: what was given for it beside. Throws
 * `forbidden` for a token that would be sent in the clear, and what the files can't be read with.
 */
export function serverAt(command: Command, place: Omit<ControlPlane, 'name'>, token = tokenGiven(command, true)): Server {
  const caFile = optionsOf(command).caCertFile || place.caCertFile;
  const server: Server = {
    url: place.address,
    token: token ?? place.token,
    ca: caFile === undefined ? undefined : readText(caFile, 'the CA'),
    verify: place.skipVerify !== true,
  };
  if (!server.verify)
    note(`warning: the certificate of ${server.url} is not verified: whoever answers there is believed, and given the token`);
  refuseClearToken(server);
  return server;
}

/** undefined: none is named, and none is current. */
function findContext(name: string | undefined): ControlPlane | undefined {
  const path = contextsPath();
  const { current, controlPlanes } = readContexts(path);
  const wanted = name ?? current;
  if (wanted === undefined) return undefined;
  const found = controlPlanes.find((one) => one.name === wanted);
  if (found) return found;
  throw new MeridianError('not_found', `there is no context ${wanted} in ${path}`, {
    hint: 'see `meridianctl config control-planes list`',
  });
}

/** `named`: the command line names a context. Variables are further away than that. */
function tokenGiven(command: Command, named: boolean): string | undefined {
  const { tokenFile } = optionsOf(command);
  if (isGiven(command, 'tokenFile')) return readToken(tokenFile ?? '');
  if (named) return undefined;
  if (process.env.MERIDIAN_TOKEN) return checkToken(process.env.MERIDIAN_TOKEN, 'MERIDIAN_TOKEN');
  return tokenFile ? readToken(tokenFile) : undefined;
}

/** The token in a file, or on standard input for `-`. Throws `not_found` or `invalid`. */
export function readToken(file: string): string {
  return checkToken(readText(file, 'the token'), file === '-' ? 'standard input' : file);
}

function checkToken(text: string, where: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new MeridianError('invalid', `${where} holds no token`, { hint: 'a token is one line of letters, digits and signs' });
}

/** Whether nobody between can read or change what goes there: over HTTPS, or on this machine. */
export function isSafeOnTheWay({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || isLoopbackHost(hostname.replace(/^\[|\]$/g, ''));
}

/** Throws `forbidden` for a token that anybody on the way could read. */
export function refuseClearToken({ url, token }: Pick<Server, 'url' | 'token'>): void {
  if (token === undefined || isSafeOnTheWay(new URL(url))) return;
  throw new MeridianError('forbidden', `a token is not sent to ${url}: without TLS anybody on the way can read it`, {
    hint: 'use https:// with --ca-cert-file, or a tunnel to 127.0.0.1',
  });
}

function readText(file: string, what: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new MeridianError('not_found', `the file of ${what}, ${file}, does not exist`, { hint: 'check its path' });
    throw new MeridianError('invalid', `the file of ${what}, ${file}, can't be read: ${message}`, { cause: thrown });
  }
}
