import { InvalidArgumentError } from 'commander';

/** Wrong values are wrong usage, told by commander. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port < 65_536) return port;
  throw new InvalidArgumentError('It must be a port, 0 to 65535.');
}
