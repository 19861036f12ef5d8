import type { Command } from 'commander';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject, JsonValue } from '../../../src/resource/resource.ts';
import { ask } from '../api/api-client.ts';
import { serverOf } from '../api/server-address.ts';
import { optionsOf } from '../input/options.ts';
import { note, print } from '../terminal/output.ts';
import { printable, textOf } from '../terminal/printable.ts';
import { type Cell, formatTable, type TableLayout, wraps } from '../terminal/table.ts';

export interface LiveAccessOptions {
  readonly from?: string;
  readonly attributes?: string;
  readonly zone?: string;
  readonly to?: string;
  readonly toAttributes?: string;
  readonly namespace?: string;
  readonly connect?: boolean;
  readonly identity?: string;
}

/** Asks a control plane who may reach what (`POST /access`), and shows each site. A deny is an answer too. */
export async function askAccess(asked: LiveAccessOptions, command: Command): Promise<void> {
  if (asked.connect === true) return connectCaller(asked, command);
  if (asked.identity !== undefined) command.error('error: --identity goes with --connect');
  const { mesh } = optionsOf(command);
  const answer = await ask(serverOf(command), '/access', { method: 'POST', body: JSON.stringify({ mesh, ...questionOf(asked, command) }) });
  const shown: JsonObject = isObject(answer) ? answer : {};
  for (const warning of objects(shown.warnings, textOf)) note(`warning: ${printable(warning)}`);
  await print(optionsOf(command), answer, (paper) => formatAnswer(shown, paper));
}

/** Asks a zone to let a proxy of its own in (`POST /access/connect`), and shows what each side says. */
async function connectCaller({ from, to, namespace, identity, ...made }: LiveAccessOptions, command: Command): Promise<void> {
  if (from === undefined || to === undefined || made.attributes !== undefined || made.toAttributes !== undefined)
    command.error('error: --connect is for a proxy and a service: it goes with --from and --to');
  const body = { mesh: optionsOf(command).mesh, from: { dataplane: from, identity }, to: { service: to, namespace: namespace ?? '' } };
  const answer = await ask(serverOf(command), '/access/connect', { method: 'POST', body: JSON.stringify(body) });
  const shown: JsonObject = isObject(answer) ? answer : {};
  const here = isObject(shown.here) ? shown.here : {};
  for (const warning of objects(here.warnings, textOf)) note(`warning: ${printable(warning)}`);
  await print(optionsOf(command), answer, (paper) => [formatAnswer(here, paper), formatThere(shown, paper)].join('\n'));
}

/** Each side's word, and the token at the end: it is a secret, and good for seconds. */
function formatThere({ reason, site, there, identity, token, expiresIn }: JsonObject, paper: TableLayout): string {
  const ofThem: Cell[][] = isObject(there) ? [[textOf(site), verdict(there.allowed), textOf(there.decidedBy), textOf(there.reason)]] : [];
  const said = formatTable(['ZONE ASKED', 'DECISION', wraps('DECIDED BY'), wraps('BECAUSE')], ofThem, paper);
  const end =
    token === null
      ? `denied: ${textOf(reason)}\n`
      : `a token for one call by ${textOf(identity)}, within ${Number(expiresIn) / 1000} s: ${textOf(token)}\n`;
  return [...(ofThem.length > 0 ? [said] : []), end].join('\n');
}

function questionOf({ from, attributes, zone, to, toAttributes, namespace }: LiveAccessOptions, command: Command): JsonObject {
  if ((from === undefined) === (attributes === undefined)) command.error('error: say who calls, with either --from or --attributes');
  if ((to === undefined) === (toAttributes === undefined)) command.error('error: say what is called, with either --to or --to-attributes');
  return {
    from: from === undefined ? { attributes: parseAttributes(attributes ?? '', '--attributes', command), zone } : { dataplane: from },
    to: {
      ...(to === undefined ? { attributes: parseAttributes(toAttributes ?? '', '--to-attributes', command) } : { service: to }),
      namespace: namespace ?? '',
    },
  };
}

/** `k8s:ns=pay,k8s:label:app=web` */
function parseAttributes(text: string, option: string, command: Command): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair): [string, string] => {
    const equals = pair.indexOf('=');
    if (equals < 1) command.error(`error: ${option} must be like k8s:ns=pay,k8s:label:app=web`);
    return [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
  });
  return Object.fromEntries(pairs);
}

function formatAnswer({ enforced, bindings, left, pick, caller }: JsonObject, paper: TableLayout): string {
  const known = isObject(caller)
    ? objects(caller.attributes, (one) => [textOf(one.key), textOf(one.value), textOf(one.trust), textOf(one.source)])
    : [];
  const decided = objects(bindings, (one): Cell[] => [textOf(one.site), verdict(one.allowed), textOf(one.decidedBy), textOf(one.reason)]);
  const others = objects(left, (one): Cell[] => [textOf(one.site), { text: textOf(one.why), colour: 'yellow' }, '-', textOf(one.reason)]);
  return [
    formatTable(['CALLER HAS', wraps('VALUE'), 'TRUST', wraps('FROM')], known, paper),
    formatTable(['SITE', 'DECISION', wraps('DECIDED BY'), wraps('BECAUSE')], [...decided, ...others], paper),
    ...(isObject(pick) ? [pickLine(pick)] : []),
    ...(enforced === false ? ['not enforced: Envoys know the proxies of their own zone alone\n'] : []),
  ].join('\n');
}

function pickLine({ scheme, policy, sites, weights }: JsonObject): string {
  const by = policy === null ? 'no LoadBalancingPolicy matches' : textOf(policy);
  const weighed = objects(weights, textOf);
  const named = objects(sites, textOf).map((site, place) => [site, ...weighed.slice(place, place + 1)].join(' '));
  return `picked: ${named.join(', ')} (${textOf(scheme)}, ${by})\n`;
}

function verdict(allowed: JsonValue | undefined): Cell {
  return allowed === true ? { text: 'Allow', colour: 'green' } : { text: 'Deny', colour: 'red' };
}

function objects<T>(list: JsonValue | undefined, show: (one: JsonObject) => T): T[] {
  // A text among objects shows itself.
  return Array.isArray(list) ? list.map((one: JsonValue) => show(one as JsonObject)) : [];
}
