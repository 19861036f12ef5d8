import type { Command } from 'commander';
import { addYes, confirm } from '../input/confirm.ts';
import type { AddOptions, RevokeOptions } from './zone-credentials-entry.ts';

const DIR = 'the folder of the NATS authority, its credentials and the configuration of the server; keep it secret, and a backup of it';

const ACCOUNTS = 'where the nats-server keeps what it is told while it runs, as it stands in nats.conf';

const ADD_HELP = `
The first time it makes the authority too: an operator, its accounts, global's credential, and nats.conf, the part of the nats-server's configuration that
believes them ("include nats.conf"). A credential is for one zone's own subjects and nothing else. Give NAME.creds to the zone as MERIDIAN_NATS_CREDS.
It asks no server: the keys stay in the folder.`;

/** `zone add` and `zone revoke`: the credentials of zones. */
export function addZoneCredentials(zone: Command): void {
  ofAuthority(zone.command('add'), "Makes a zone's credential for NATS, and what the nats-server must know.")
    .option('--valid-for <days>', 'after so many days it counts no more; without it, it does not expire')
    .option('--replace', 'revoke the one that the zone has, and make another')
    .addHelpText('after', ADD_HELP)
    .action(async (name: string, options: AddOptions, command: Command) => (await entry()).add(name, options, command));
  addYes(ofAuthority(zone.command('revoke'), "Takes a zone's credential back: its connections are closed, and it can make no other."))
    .option('--nats-url <url>', 'the running server that is told; without it, only nats.conf changes, and the server must be told with it')
    .option('--nats-ca <file>', "the CA of the server's certificate")
    .option('--nats-cert <file>', 'the certificate to show to the server')
    .option('--nats-key <file>', 'its key')
    .action(async (name: string, options: RevokeOptions, command: Command) => {
      await confirm(command, `The credential of ${name} holds no more: nobody can connect as ${name} with it again.`);
      await (await entry()).takeBack(name, options, command);
    });
}

/** Of whom, and where the authority is kept. */
function ofAuthority(command: Command, description: string): Command {
  return command
    .description(description)
    .argument('<name>', "the zone's name, or global")
    .option('--dir <dir>', DIR, 'meridian-nats')
    .option('--accounts-dir <dir>', ACCOUNTS, 'meridian-accounts');
}

const entry = () => import('./zone-credentials-entry.ts');
