import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { GLOBAL_PEER } from '../../resource/audience.ts';
import { ENVIRONMENTS, GLOBAL, type Place, usesNamespaces } from '../../resource/resource.ts';
import type { Reader, Transaction } from '../../resource/store/store.ts';
import type { ZoneInfo } from '../../kds/protocol.ts';

/** What this store remembers of a peer: its pinned store, and its place. */
export interface KnownPeer {
  readonly store: string;
  readonly about?: ZoneInfo | undefined;
}

const peerSchema = z.object({
  store: z.string(),
  about: z
    .object({
      environment: z.enum(ENVIRONMENTS),
      systemNamespace: z.string(),
      version: z.string(),
      attributes: z.record(z.string(), z.string()).optional(),
    })
    .optional(),
});

export function readPeer(reader: Reader, peer: string): KnownPeer | undefined {
  const text = reader.setting(`peer:${peer}`);
  return text ? parsePeer(text) : undefined;
}

/** By its text: it is read several times at each message, and hardly ever changes. */
const parsed = new LRUCache<string, KnownPeer>({ max: 5_000 });

function parsePeer(text: string): KnownPeer {
  const known = parsed.get(text);
  if (known) return known;
  const peer: KnownPeer = peerSchema.parse(JSON.parse(text));
  parsed.set(text, peer);
  return peer;
}

export function writePeer(tx: Transaction, peer: string, value: KnownPeer): void {
  tx.setSetting(`peer:${peer}`, JSON.stringify(value));
}

/** After this, nothing is known of the peer: the next store that speaks for it is its first. */
export function forgetPeer(tx: Transaction, peer: string): void {
  tx.setSetting(`peer:${peer}`, '');
}

/** Every peer that this store pinned: on global the zones. */
export function peersOf(reader: Reader): readonly string[] {
  const known = reader.settingsFrom('peer:').filter((name) => reader.setting(name) !== '');
  return known.map((name) => name.slice('peer:'.length));
}

/** The place of a peer; undefined for a zone that never introduced itself. The transport proves its zone's name. */
export function placeOf(reader: Reader, peer: string): Place | undefined {
  if (peer === GLOBAL_PEER) return GLOBAL;
  const about = readPeer(reader, peer)?.about;
  return (
    about && {
      zone: peer,
      environment: about.environment,
      systemNamespace: usesNamespaces(about.environment) ? about.systemNamespace : '',
    }
  );
}
