const BYTE = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${BYTE}(\\.${BYTE}){3}$`);
const IPV6 = /^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$/;
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * An IP address in the one form that all its spellings have; undefined: it is none. One with a zone (`fe80::1%eth0`)
 * means nothing but on its machine, and is none here, as with Kuma.
 *
 *   0:0:0:0:0:0:0:1   ->  ::1
 *   ::ffff:10.0.0.1   ->  10.0.0.1
 *   010.0.0.1, a.b    ->  undefined
 */
export function canonicalAddress(text: string): string | undefined {
  if (IPV4.test(text)) return text;
  const url = `http://[${text}]/`;
  if (!IPV6.test(text) || !URL.canParse(url)) return undefined;
  const address = new URL(url).hostname.slice(1, -1);
  const [, high, low] = MAPPED.exec(address) ?? [];
  return high === undefined || low === undefined ? address : toIpv4(Number.parseInt(high, 16), Number.parseInt(low, 16));
}

function toIpv4(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** What tells two sockets apart: one address may be written in many ways. */
export function socketOf(address: string, port: number): string {
  return `${canonicalAddress(address) ?? address.toLowerCase()} ${port}`;
}

/** Whether an IP address is one of this machine alone: of 127.0.0.0/8, or ::1, in any spelling. What is none is not. */
export function isLoopback(address: string): boolean {
  const canonical = canonicalAddress(address);
  return canonical !== undefined && (canonical === '::1' || canonical.startsWith('127.'));
}

/**
 * The same for a host, which may be a name: `localhost` is this machine, and no other name is. A name that begins so,
 * `127.0.0.1.example.org`, is anywhere.
 */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || isLoopback(host);
}

/** Whether it is the number of a port that something can listen on. */
export function isPort(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536;
}
