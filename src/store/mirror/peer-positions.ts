import type { MirrorWriter, Position } from '../../resource/store/store.ts';
import { requireCommit } from '../database.ts';
import type { Connection } from '../connection.ts';
import { cacheRows } from '../row-cache.ts';

/** How far this control plane has each peer's feed. `rolledBack`: a commit was. */
export function createPositions(db: Connection): Pick<MirrorWriter, 'position' | 'setPosition'> & { rolledBack(): void } {
  const select = db.prepare<[string], Position>('SELECT store, term, revision, digest, count, signature FROM positions WHERE peer = ?');
  const remove = db.prepare<[string]>('DELETE FROM positions WHERE peer = ?');
  const replace = db.prepare<(string | number)[]>('INSERT OR REPLACE INTO positions VALUES (?, ?, ?, ?, ?, ?, ?)');
  const positions = cacheRows((peer) => select.get(peer));
  return {
    position: positions.get,
    rolledBack: positions.forgetAll,
    setPosition(peer, position) {
      requireCommit(db);
      if (!position) {
        remove.run(peer);
        return positions.put(peer, undefined);
      }
      const { store, term, revision, digest, count, signature } = position;
      replace.run(peer, store, term, revision, digest, count, signature);
      positions.put(peer, { store, term, revision, digest, count, signature });
    },
  };
}
