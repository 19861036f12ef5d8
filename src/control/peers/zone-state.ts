import type { Key } from '../../resource/key.ts';
import type { Reader } from '../../resource/store/store.ts';

export function zoneKey(name: string): Key {
  return { type: 'Zone', mesh: '', zone: '', namespace: '', name };
}

/** `disabled`: it sends and gets nothing; its copies elsewhere stay, for taking a deny away would widen access. */
export function zoneState(reader: Reader, name: string): 'enabled' | 'disabled' | 'unknown' {
  const row = reader.get(zoneKey(name));
  if (!row) return 'unknown';
  return row.resource.spec.enabled === false ? 'disabled' : 'enabled';
}
