import type { FastifyRequest } from 'fastify';
import { invalid, MeridianError } from '../../errors.ts';

/** Kuma's. */
const DEFAULT_SIZE = 100;
const MAX_SIZE = 1000;

/** What a list is asked for: `size`, `offset`, `name` (a part of it) and `filter[labels.<key>]`. */
export interface ListQuery {
  readonly offset: number;
  readonly size: number;
  readonly nameContains: string | undefined;
  readonly labels: Readonly<Record<string, string>> | undefined;
}

/** A list as Kuma writes it: `next` is the address of the next page. */
export interface Collection<T> {
  readonly total: number;
  readonly items: readonly T[];
  readonly next: string | null;
}

/** Throws `invalid` for a size outside 1 to 1000, an offset that is no count, and a filter on anything but labels. */
export function listQuery(request: FastifyRequest): ListQuery {
  const { searchParams } = addressOf(request);
  const nameContains = searchParams.get('name') || undefined;
  // As Kuma writes it: `/meshes/{mesh}/meshtimeouts`.
  const path = (request.routeOptions.url ?? '').replaceAll(/:(\w+)/g, '{$1}');
  return { ...paging(searchParams), nameContains, labels: labelFilters(path, searchParams) };
}

export function paging(query: URLSearchParams): { readonly offset: number; readonly size: number } {
  return { size: sizeOf(query.get('size') || String(DEFAULT_SIZE)), offset: offsetOf(query.get('offset') || '0') };
}

function sizeOf(text: string): number {
  const size = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (size >= 1 && size <= MAX_SIZE) return size;
  const reason = size < 1 ? 'must be greater than 0' : 'invalid format';
  const field = { field: 'size', reason: size > MAX_SIZE ? `invalid page size of ${size}. Maximum page size is ${MAX_SIZE}` : reason };
  throw new MeridianError('invalid', 'Invalid page size', { problems: [field] });
}

function offsetOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new MeridianError('invalid', 'invalid offset: must be a number and not negative', {
    problems: [{ field: 'offset', reason: 'must be a number and not negative' }],
  });
}

/** `filter[labels.k8s.kuma.io/namespace]=backend-ns`: every one of them must hold. */
function labelFilters(path: string, query: URLSearchParams): Record<string, string> | undefined {
  const filters = [...query].filter(([parameter]) => parameter.startsWith('filter['));
  const problems = filters
    .filter(([parameter]) => !/^filter\[labels\..+\]$/.test(parameter))
    .map(([parameter]) => ({ field: `${path}.${parameter}`, reason: 'filters are only supported on labels' }));
  if (problems.length > 0) throw invalid(problems);
  const wanted = filters.map(([parameter, value]) => [parameter.slice('filter[labels.'.length, -1), value] as const);
  return wanted.length === 0 ? undefined : Object.fromEntries(wanted);
}

/** A page of `items`: at most `size` of them, after the first `offset` of `total`. */
export function collection<T>(request: FastifyRequest, total: number, items: readonly T[]): Collection<T> {
  const { searchParams } = addressOf(request);
  const { offset, size } = paging(searchParams);
  return { total, items, next: offset + size < total ? nextPage(request, offset + size) : null };
}

/** An absolute URL, as Kuma's: the same request with another offset, its parameters sorted. */
function nextPage(request: FastifyRequest, offset: number): string {
  const address = addressOf(request);
  address.searchParams.set('offset', String(offset));
  address.searchParams.sort();
  return address.href;
}

/** The address that was asked for. The guard let known hosts pass only. */
export function addressOf({ url, headers, protocol }: FastifyRequest): URL {
  const address = new URL(`${protocol}://${headers.host}/`);
  const [path = '/', ...query] = url.split('?');
  address.pathname = path;
  address.search = query.join('?');
  return address;
}

/** The query alone, of a request whose host nobody has looked at yet. Parsed as `addressOf` does. */
export function queryOf({ url }: FastifyRequest): URLSearchParams {
  const address = new URL('http://localhost/');
  address.search = url.split('?').slice(1).join('?');
  return address.searchParams;
}
