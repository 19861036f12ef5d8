import type { JsonObject } from '../../resource/resource.ts';
import type { Wire } from '../../../test/harness/rbac-interpreter.ts';

/** Whether a request meets a RouteMatch, as Envoy documents it: the path is compared without its query. For specs. */
export function isRoute({ path, prefix, pathSeparatedPrefix, headers, ...others }: JsonObject, wire: Wire): boolean {
  if (Object.keys(others).length > 0) throw new Error(`route ${Object.keys(others).join(', ')}`);
  if (wire.path === undefined) return false;
  const [plain = ''] = wire.path.split(/[?#]/, 1);
  return isPath({ path, prefix, pathSeparatedPrefix }, plain) && (headers === undefined || isMethod(headers, wire.method));
}

function isPath({ path, prefix, pathSeparatedPrefix: separated }: Record<string, unknown>, plain: string): boolean {
  if (typeof path === 'string') return plain === path;
  if (typeof prefix === 'string') return plain.startsWith(prefix);
  if (typeof separated !== 'string' || !/^[^?#]+[^?#/]$/.test(separated)) throw new Error(`Envoy refuses ${String(separated)}`);
  return plain === separated || plain.startsWith(`${separated}/`);
}

function isMethod(headers: unknown, method: string | undefined): boolean {
  const [{ name, stringMatch }] = headers as [{ name: string; stringMatch: { exact: string } }];
  if (name !== ':method') throw new Error(`header ${name}`);
  return stringMatch.exact === method;
}
