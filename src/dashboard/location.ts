import { signal } from '@preact/signals';

/** Where the page is: the part of the address behind `#`. `#/kinds/meshtimeouts?name=slow` has two parts. */
export interface PageAddress {
  readonly parts: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** Takes an address apart. What is not well formed is Home. */
function readAddress(hash: string): PageAddress {
  const [path = '', query = ''] = hash.replace(/^#/, '').split(/\?(.*)/s);
  try {
    const parts = path.split('/').filter((part) => part !== '');
    return { parts: parts.map(decodeURIComponent), query: Object.fromEntries(new URLSearchParams(query)) };
  } catch {
    return { parts: [], query: {} };
  }
}

/** The address of a place, for a link. Parameters that are '' are left out. */
export function link(parts: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const search = new URLSearchParams(given).toString();
  return `#/${parts.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

export const place = signal<PageAddress>({ parts: [], query: {} });

/** Follows the address from now on. */
export function followAddress(): void {
  const read = (): void => {
    place.value = readAddress(location.hash);
  };
  addEventListener('hashchange', read);
  read();
}
