import type { Labels } from '../../resource/labels.ts';
import { sansOf } from '../match/client-sans.ts';

/** Who asks: the URI SANs of its certificate, or the tags that its control plane put there, of a proxy in `mesh`. */
type Client = { readonly spiffeIds: readonly string[] } | { readonly tags: Labels; readonly mesh?: string | undefined };

/** What a client asks for. Method and path: what is not known may be anything. */
export type Request = Client & { readonly method?: string | undefined; readonly path?: string | undefined };

/** A request as it is compared. */
export interface RequestSubject {
  readonly sans: readonly string[];
  /** On TCP nothing of the request can be seen. */
  readonly protocol: 'http' | 'tcp';
  readonly method: string | undefined;
  /** Without the query, normalised. */
  readonly path: string | undefined;
}

/** `mesh`: that of a client that says none. */
export function readRequest(request: Request, protocol: 'http' | 'tcp', mesh: string): RequestSubject {
  const sans = 'spiffeIds' in request ? request.spiffeIds : sansOf(request.mesh ?? mesh, request.tags);
  const path = request.path === undefined ? undefined : normalisePath(request.path);
  return { sans: [...new Set(sans)], protocol, method: request.method, path };
}

/**
 * A path as Envoy compares it (src/resource/schema/spiffe-matches.ts): without query and fragment, escapes of plain
 * characters written out, some others escaped, `\` as `/`, repeated slashes as one, `.` and `..` resolved.
 *
 *   /a//b/../%61dmin?x=1  ->  /a/admin,    /{id}  ->  /%7Bid%7D
 */
export function normalisePath(path: string): string {
  const [plain = ''] = path.split(/[?#]/, 1);
  const segments: string[] = [];
  const steps = escape(unescape(plain)).replaceAll('\\', '/').split('/');
  for (const step of steps) {
    if (step === '..') segments.pop();
    else if (step !== '.' && step !== '') segments.push(step);
  }
  const folder = ['', '.', '..'].includes(steps.at(-1) ?? '') && segments.length > 0;
  return `/${segments.join('/')}${folder ? '/' : ''}`;
}

/** What Envoy escapes; anything else is left as it came, so that there may be two spellings (path-spellings.ts). */
function escape(path: string): string {
  return path.replaceAll(/["<>^`{|}]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Escapes of characters that need none, and of slashes. Any other escape stays as it is. */
function unescape(path: string): string {
  const [first = '', ...rest] = path.split('%');
  return first + rest.map(writeOut).join('');
}

const HEX = '0123456789abcdef';
const PLAIN = 'abcdefghijklmnopqrstuvwxyz0123456789-._~/\\';

function writeOut(text: string): string {
  const [high, low] = [HEX.indexOf(text.charAt(0).toLowerCase()), HEX.indexOf(text.charAt(1).toLowerCase())];
  if (text.length < 2 || high < 0 || low < 0) return `%${text}`;
  const character = String.fromCharCode(high * 16 + low);
  return PLAIN.includes(character.toLowerCase()) ? character + text.slice(2) : `%${text}`;
}
