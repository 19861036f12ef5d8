import type { Key } from './key.ts';

/**
 * Who gets a resource, decided from the resource alone (docs/design/sync.md#audience).
 * `none`: stays here. `others`: every peer but its origin (from a zone, the one peer is global). `only`: one zone.
 */
export type Audience = { readonly to: 'none' } | { readonly to: 'others' } | { readonly to: 'only'; readonly zone: string };

export const NOBODY: Audience = { to: 'none' };
export const OTHERS: Audience = { to: 'others' };

/** The name under which zones know global: it can't be a zone's, for the subject alphabet has no capitals. */
export const GLOBAL_PEER = 'GLOBAL';

/** How people and the API call a peer. */
export function peerName(peer: string): string {
  return peer === GLOBAL_PEER ? 'global' : peer;
}

/** Whether `peer` (a zone's name, or GLOBAL_PEER) gets the resource with this key and audience. */
export function includes(audience: Audience, key: Pick<Key, 'zone'>, peer: string): boolean {
  switch (audience.to) {
    case 'none':
      return false;
    case 'others':
      return key.zone !== peer;
    case 'only':
      return audience.zone === peer && key.zone !== peer;
  }
}

/** The audience in one column: '', '*' or a zone's name. */
export function formatAudience(audience: Audience): string {
  switch (audience.to) {
    case 'none':
      return '';
    case 'others':
      return '*';
    case 'only':
      return audience.zone;
  }
}

export function parseAudience(text: string): Audience {
  if (text === '') return NOBODY;
  return text === '*' ? OTHERS : { to: 'only', zone: text };
}
