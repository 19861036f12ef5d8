import type { Reader, Store } from '../../resource/store/store.ts';
import type { ApiOptions } from '../api-options.ts';
import type { Grant } from './grant.ts';

/** What is kept of a token: never the token itself. Times are seconds since 1970. */
export interface TokenRecord extends Grant {
  readonly id: string;
  readonly name: string;
  /** The key that signed it. */
  readonly kid: string;
  readonly issued: number;
  readonly expires: number;
  /** The name of whoever asked for it. */
  readonly issuedBy: string;
  readonly revoked?: number | undefined;
}

/** A signing key: a private Ed25519 key as JWK. */
export interface StoredKey {
  readonly kid: string;
  readonly created: number;
  readonly jwk: Readonly<Record<string, unknown>>;
}

/** All that is kept for tokens. The first key signs; the others only verify. */
export interface TokenRecords {
  readonly keys: readonly StoredKey[];
  readonly tokens: ReadonlyMap<string, TokenRecord>;
}

/** The keys and records of one control plane. */
interface KeptRecords {
  read(): TokenRecords;
  /** Resolves when they are durably what `next` makes of them. */
  change(next: (kept: TokenRecords) => TokenRecords): Promise<void>;
}

const SETTING = 'api tokens';
const NOTHING: TokenRecords = { keys: [], tokens: new Map() };

/**
 * Keys and records in one setting of the store, which changes as a whole. What was read is kept until the setting is
 * another one.
 */
export function keptIn(store: Store, writes: ApiOptions['writes']): KeptRecords {
  let text: string | undefined;
  let kept = NOTHING;
  const read = (reader: Reader = store): TokenRecords => {
    const now = reader.setting(SETTING);
    if (now === text) return kept;
    kept = now === undefined ? NOTHING : parse(now);
    text = now;
    return kept;
  };
  return {
    read: () => read(),
    change: (next) => writes.write((tx) => tx.setSetting(SETTING, format(next(read(tx))))),
  };
}

function parse(text: string): TokenRecords {
  const { keys, tokens } = JSON.parse(text) as { keys: StoredKey[]; tokens: TokenRecord[] };
  return { keys, tokens: new Map(tokens.map((record) => [record.id, record])) };
}

function format({ keys, tokens }: TokenRecords): string {
  return JSON.stringify({ keys, tokens: [...tokens.values()] });
}
