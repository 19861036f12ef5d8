import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** Proxies add these: who connects is not who asks. */
const FORWARDING =
  /^(forwarded|via|x-forwarded(-.*)?|(x-)?(real|client|true-client|cluster-client|cf-connecting|fastly-client)-ip|x-original-forwarded-for|forwarded-for|cf-connecting-ip|x-envoy-(external-address|internal)|x-proxyuser-ip)$/;

/** Whether it came through a proxy, as far as the proxy says so. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => FORWARDING.test(name));
}

/** Whom limits count: an IPv4 address, or an IPv6 network of the size that one customer has. */
export function addressKey({ socket }: IncomingMessage): string {
  const address = socket.remoteAddress ?? '';
  if (address.startsWith('::ffff:')) return address.slice('::ffff:'.length);
  return isIP(address) === 6 ? `${groupsOf(address).slice(0, 4).join(':')}::/64` : address;
}

/** `fe80::1` -> its eight groups; a scope (`%eth0`) is left out. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const [first, last] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':'))) as [string[], string[]];
  const gap = tail === undefined ? 0 : 8 - first.length - last.length;
  return [...first, ...Array<string>(Math.max(0, gap)).fill('0'), ...last];
}
