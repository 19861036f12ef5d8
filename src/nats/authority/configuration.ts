import type { Claims } from './authority.ts';

/**
 * The part of a nats-server's configuration that makes it believe the credentials. `folder`: where the server keeps the accounts that it was told of while it
 * ran, so that what was revoked stays so when it is started again. What waits for one connection (`max_pending`) is more than by default: the server holds back a
 * zone that floods global before global's connection would be cut.
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
