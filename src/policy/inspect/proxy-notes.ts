import { type Key, formatKri } from '../../resource/key.ts';
import { isUnreadable } from '../../resource/permission-actions.ts';
import { type Permission, readPermissions, warningsAbout } from '../decide/read-permissions.ts';
import type { Proxy } from '../match/read-proxy.ts';
import type { SelectingPolicy } from '../match/select-policies.ts';
import { sectionOf } from './proxy-layout.ts';

/** What selects one inbound of a proxy: its index among the proxy's, and the policies of one kind. */
export type MatchedInbounds = readonly (readonly SelectingPolicy[])[];

/**
 * Notes for readers of merged policies, who would not see these: policies that are never enforced, that can't be read,
 * or that are for some requests or some inbounds only. `refusal`: why a policy, or what it targets, was refused here.
 */
export function notesOn(proxy: Proxy, matched: MatchedInbounds, refusal: Refusals): string[] {
  const matches = matched.flat();
  const permissions = readPermissions(matches);
  const notes = [
    ...matches.flatMap((match) => noteOn(match, refusal)),
    ...permissions.flatMap((permission) => unreadable(permission, refusal)),
    ...matched.flatMap((inbound) => warningsAbout(readPermissions(inbound))),
    ...partial(proxy, matched),
  ];
  return [...new Set(notes)];
}

function noteOn({ policy, via }: SelectingPolicy, refusal: Refusals): string[] {
  const kri = formatKri(policy.resource.key);
  if (policy.shadow) return [`${kri} is marked kuma.io/effect: shadow: it is matched, and not enforced`];
  if (via === undefined) return [];
  const lost = via.flatMap(({ lost }) => lost ?? []);
  if (lost.length === 0)
    return [`${kri} is only for requests through ${[...new Set(via.map(({ route }) => formatKri(route)))].join(', ')}`];
  return lost.map(
    (key) =>
      `${kri} targets ${formatKri(key)}, which ${whyLost(refusal(key))}: until that is put right, its denies hold for whatever that may be`,
  );
}

function whyLost(reason: string | undefined): string {
  return reason === undefined ? 'is not here' : `was refused here (${reason})`;
}

type Refusals = (key: Key) => string | undefined;

function unreadable({ key, mtp }: Permission, refusal: Refusals): string[] {
  if (!isUnreadable(mtp)) return [];
  const reason = refusal(key);
  const why = reason === undefined ? 'can’t be read' : `was refused here (${reason})`;
  return [`${formatKri(key)} ${why}: until that is put right, what it selects is denied`];
}

function partial({ inbounds }: Proxy, matched: MatchedInbounds): string[] {
  if (matched.length < 2) return [];
  const policies = new Set(matched.flat().map(({ policy }) => policy));
  return [...policies].flatMap((policy) => {
    const selected = inbounds.filter((_, index) => matched[index]?.some((match) => match.policy === policy));
    const where = selected.map(sectionOf).join(', ');
    return selected.length === matched.length ? [] : [`${formatKri(policy.resource.key)} is only for the inbounds ${where}`];
  });
}
