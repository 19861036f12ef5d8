import type { Command } from 'commander';

/**
 * What each command prints with `-o json`, and as the same value with `-o yaml`: scripts may rely on it. Fields may be
 * added, never taken away. RESOURCE is a resource as the REST API shows it; `T | null`: null says that there is none.
 */
export const SHAPES: Readonly<Record<string, string>> = {
  apply:
    '{dryRun, results: [{type, mesh, name, kri, outcome: created|changed|unchanged|deleted, warnings?: [text]}]}, with --dry-run also {incomplete?: text, changes, callerSets}',
  diff: '{different, results: [{type, mesh, name, kri, outcome: created|changed|unchanged|deleted, diff}]}',
  get: '{total, items: [RESOURCE]}, with one name RESOURCE alone; -o yaml prints documents that apply takes',
  describe: '{resource: RESOURCE, warnings: [text], selects | null, ledger: [as an item of `ledger`]}',
  edit: '{type, mesh, name, kri, outcome, warnings?: [text]}',
  delete: '{type, mesh, name, outcome: deleted}, one for each; with --dry-run {dryRun, results, incomplete?: text, changes, callerSets}',
  export: '[DOCUMENT], as apply takes it; -o yaml prints documents, as without',
  import: '{dryRun, applied, results: [{type, mesh, name, result, reason | null}], turned: [{type, mesh, kuma, here}]}',
  status:
    '{url, zone, environment, version, known, offline, late, refused, peers: [as an item of `inspect zones`], refusedItems: [{peer, type, mesh, name, reason}]}',
  'inspect zones':
    '{items: [{zone, online, upToDate, refused, behind | null, environment | null, lastSeen | null, version | null, reason | null}]}',
  'inspect turns': '{turns: [{work, about, milliseconds, at, long}]}',
  'inspect dataplanes': '{total, items: [RESOURCE]}',
  'inspect dataplane': '{layout, policies, inbounds: [{kri, policies}], outbounds, warnings: [text]}',
  'inspect policy': '{total, items: [RESOURCE]}',
  can: '{enforced, decision: Allow|Deny, shadow: Allow|Deny, decidedBy | null, shadowDecidedBy | null, reason, warnings: [text], dataplane}; with -f {answers: [{verdict} or {error}]}',
  ledger:
    '{items: [{kri, type, mesh, zone, namespace, name, peer, state, since, reason}]}; with -w such an item in each line, of state gone too',
  wait: '{peers: [name]}',
  watch:
    'a message in each line: {op: put|delete, revision, position, kri, type, mesh, name, resource (with put)}, {op: reset, revision, reason} or {op: bookmark, revision, position}',
  audit: '{total, items: [{id, time, principal, role, address, operation, type, mesh, name, kri, outcome, revision | null, code}]}',
  'token issue': '{id, name, role, zone (of a zone operator), issued, expires, issuedBy, token}',
  'token list': '{total, items: [{id, name, role, zone (of a zone operator), issued, expires, issuedBy, revoked (if it was)}]}',
  'token revoke': 'as an item of `token list`',
  'token rotate-key': '{kid}',
  'zone add': '{name, credentials: [file], configuration: file, natsConfiguration: text}',
  'zone revoke': '{name, revoked, told}',
  'envoy revoke-tokens': '{}',
  'api-resources': '{items: [{type, short, path, scope: mesh|global, writtenAt, synced}]}',
  explain: '{path, type, fields: [{name, type, required}]}',
  version: '{client, server | null}',
  completion: 'the script all the same',
  'zone list': '{total, items: [RESOURCE]}',
  'zone disable': '{name, enabled}',
  'zone enable': '{name, enabled}',
  'config view': '{file, current | null, controlPlanes: [{name, address, token: (hidden), caCertFile, skipVerify, zone, zoneOf}]}',
  'config control-planes add': '{name, done, current | null}',
  'config control-planes list': '{items: [{name, address, current, zone | null, zoneOf | null}]}',
  'config control-planes switch': '{name, done, current | null}',
  'config control-planes remove': '{name, done, current | null}',
  recover: '{done: [text]}',
  backup: '{file, bytes}',
  lint: '[{type, name, namespace, role, reaches, explicit, problems: [{field, reason}]}]',
  decide: '{matchedInOrder, clients: [{decision, shadow, decidedBy}]}',
  access:
    'with files {queries: [{allowed, privileged, decidedBy}]}; else as POST /access, with --connect as POST /access/connect answers, the token included',
  convert: '[DOCUMENT]',
  name: '{name}',
  'envoy bootstrap': 'the bootstrap of an Envoy',
  'envoy certs': '`ca`: the file of the CA; `files`: what was written for the proxy and for callers',
};

/** Says it at the end of each command's help. */
export function addShapes(command: Command, path = ''): void {
  const shape = SHAPES[path];
  if (shape !== undefined) command.addHelpText('after', `\nWith -o json: ${shape}`);
  for (const inner of command.commands) addShapes(inner, `${path} ${inner.name()}`.trim());
}
