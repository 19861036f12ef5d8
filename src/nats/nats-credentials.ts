import { readFileSync, statSync } from 'node:fs';
import { type Authenticator, credsAuthenticator, tokenAuthenticator, usernamePasswordAuthenticator } from '@nats-io/transport-node';
import { MeridianError } from '../errors.ts';
import type { NatsAddress } from './nats-address.ts';

/** A credentials file, or its text. */
export type Credentials = { readonly file: string } | { readonly text: string };

/**
 * How this program says who it is: with a credentials file (a JWT and a seed, made by `meridianctl zone add`), else
 * with what the URL holds. The file is read at each connect, so that a new one counts from then on. Throws
 * `unavailable` if it can't be read.
 */
export function authenticatorFor({ user, token }: NatsAddress, credentials: Credentials | undefined): Authenticator | undefined {
  if (credentials !== undefined)
    return credsAuthenticator('file' in credentials ? readCredentials(credentials.file) : Buffer.from(credentials.text));
  if (user) return usernamePasswordAuthenticator(user.name, user.password);
  return token === undefined ? undefined : tokenAuthenticator(token);
}

function readCredentials(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new MeridianError('unavailable', `the NATS credentials file ${file} can't be read`, { cause });
  }
}

/** What is wrong with the file's mode, if others may read it. A missing file is reported at the connect. */
export function exposure(credsFile: string): string | undefined {
  const stat = statSync(credsFile, { throwIfNoEntry: false });
  return stat && (stat.mode & 0o077) !== 0 ? `others than its owner may read the NATS credentials file ${credsFile}` : undefined;
}
