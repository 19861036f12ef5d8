import type { Claims } from './zone-authority.ts';

/**
 * The part of a nats-server's configuration by which it trusts the credentials. `folder`: where the server keeps the
 * accounts that it was told of, so that a revoked credential stays revoked after a restart. `max_pending` (what may
 * wait for one connection) is more than the default: the server then slows down a zone that floods global, and does not
 * cut global's connection.
 */
export function serverConfiguration({ operator, systemKey, system, accountKey, account }: Claims, folder: string): string {
  return `operator: ${operator}
max_pending: 256MB
system_account: ${systemKey}
resolver: { type: full, dir: ${JSON.stringify(folder)}, allow_delete: false, interval: "2m" }
resolver_preload: {
  ${systemKey}: ${system}
  ${accountKey}: ${account}
}
`;
}
