import type { Permission } from '../../policy/decide/read-permissions.ts';
import type { CallerMap } from '../../policy/callers/caller-verdicts.ts';
import { keyId } from '../../resource/key.ts';
import { numbering } from '../mesh/selection-ids.ts';
import type { DecidingPermissions, InboundPair } from './inbound-pairs.ts';
import type { Parts } from '../../resource/store/parts.ts';

/** Inbounds that the same permissions decide; `same`: before and after. */
export interface AlikeInbounds {
  readonly inbounds: readonly InboundPair[];
  readonly same: boolean;
}

/** Puts together the inbounds that no permission tells apart. */
export function* groupAlike(inbounds: readonly InboundPair[]): Parts<AlikeInbounds[]> {
  const signature = createSignatures();
  const groups = new Map<string, { inbounds: InboundPair[]; same: boolean }>();
  for (const inbound of inbounds) {
    const [before, after] = [signature(inbound.before), signature(inbound.after)];
    const id = `${before} > ${after}`;
    const group = groups.get(id);
    if (group) group.inbounds.push(inbound);
    else groups.set(id, { inbounds: [inbound], same: before === after });
    yield;
  }
  return [...groups.values()];
}

/**
 * Gives a text that is equal for two decisions of the same permissions in the same order, wherever they were read from.
 */
function createSignatures(): (decided: DecidingPermissions | undefined) => string {
  const [numberOf, ofCallers] = [numbering<string>(), numbering<CallerMap | undefined>()];
  const known = new WeakMap<Permission['mtp'], number>();
  const ofMtp = ({ key, mtp }: Permission): number => {
    // One that was read once is one object, of one key.
    const number = known.get(mtp) ?? numberOf(`${keyId(key)} ${JSON.stringify(mtp)}`);
    known.set(mtp, number);
    return number;
  };
  const ofPermission = (permission: Permission): string => {
    const { via } = permission;
    return via === undefined ? `${ofMtp(permission)}` : `${ofMtp(permission)}/${numberOf(JSON.stringify(via))}`;
  };
  // What access policies decide is one object where it is the same before and after.
  const texts = new Map<DecidingPermissions | undefined, string>([[undefined, '']]);
  return (decided) => {
    const text =
      texts.get(decided) ??
      (decided ? `${decided.protocol} ${ofCallers(decided.callers)} ${decided.permissions.map(ofPermission).join()}` : '');
    texts.set(decided, text);
    return text;
  };
}
