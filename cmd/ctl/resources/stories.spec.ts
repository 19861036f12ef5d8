import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { WEST, ask } from '../../../test/api/harness.ts';
import { GLOBAL } from '../../../src/resource/resource.ts';
import { parseDocuments } from '../../../src/resource/documents/parse-documents.ts';
import { Scope } from '../../../test/harness/scope.ts';
import { type Live, startLive } from '../../../test/harness/live-meridianctl.ts';
import { writeDocuments } from '../../../test/harness/write-drafts.ts';

const scope = new Scope();
after(() => scope.close());

const TD = 'spiffe://trust-domain.mesh';
const OPERATOR = 'by-mesh-operator';
const OWNER = 'by-backend-owner';

/**
 * A policy of docs/design/sources.md#spiffe: its conf as it is written there. The operator's is for everybody, the
 * owner's for the backend.
 */
function operator(conf: string): object {
  return { type: 'MeshTrafficPermission', name: OPERATOR, spec: { default: parse(conf) as unknown } };
}
function owner(conf: string): object {
  const targetRef = { kind: 'Dataplane', labels: { app: 'backend' } };
  return { type: 'MeshTrafficPermission', name: OWNER, spec: { targetRef, default: parse(conf) as unknown } };
}

const DENIED = operator(`
deny:
  - spiffeId: {type: Exact, value: "${TD}/ns/default/sa/api-gateway"}
  - spiffeId: {type: Exact, value: "${TD}/ns/default/sa/legacy-workload"}
  - spiffeId: {type: Prefix, value: "spiffe://legacy.mesh/"}`);
const OBSERVED = operator(`allow: [{spiffeId: {type: Prefix, value: "${TD}/ns/observability"}}]`);
const METRICS = operator(`allow: [{spiffeId: {type: Prefix, value: "${TD}/ns/observability"}, path: {type: Prefix, value: /metrics}}]`);
const GRANTED = owner(`allow: [{spiffeId: {type: Prefix, value: "${TD}/"}}]`);
const OPTED_OUT = owner(`deny: [{spiffeId: {type: Prefix, value: "${TD}/ns/observability"}}]`);
const BLOCKED = owner(`deny: [{spiffeId: {type: Exact, value: "${TD}/ns/default/sa/malicious"}}]`);
const EVERYBODY = operator(`allow: [{spiffeId: {type: Prefix, value: "${TD}/"}}]`);
const WRITERS = owner(`
allow:
  - method: GET
  - {method: POST, spiffeId: {type: Exact, value: "${TD}/ns/default/sa/writer-1"}}
  - {method: POST, spiffeId: {type: Exact, value: "${TD}/ns/default/sa/writer-2"}}
  - {method: POST, spiffeId: {type: Prefix, value: "${TD}/ns/writers"}}`);
/** The first example there ("Schema"): there the owner is called so, and both are for every proxy. */
const SCHEMA = [
  operator(`deny: [{spiffeId: {type: Exact, value: "${TD}/ns/default/sa/frontend"}}]`),
  {
    type: 'MeshTrafficPermission',
    name: 'by-service-owner',
    spec: {
      targetRef: {},
      default: parse(`
deny: [{spiffeId: {type: Exact, value: "${TD}/ns/default/sa/api-gateway"}}]
allowWithShadowDeny: [{spiffeId: {type: Prefix, value: "${TD}/ns/legacy"}}]
allow: [{spiffeId: {type: Prefix, value: "${TD}/"}}]`) as unknown,
    },
  },
];

/** Who asks for what, and the verdict with the policy that decides; the shadow's where it differs. */
type StoryRequest = readonly [asks: string, decision: 'Allow' | 'Deny', decidedBy: string | null, shadow?: 'Allow' | 'Deny'];

interface Story {
  readonly policies: readonly object[];
  readonly requests: readonly StoryRequest[];
}

const gateway = `--from ${TD}/ns/default/sa/api-gateway`;
const anyone = `--from ${TD}/ns/default/sa/anyone`;
const scraper = `--from ${TD}/ns/observability/sa/prometheus`;
const stranger = '--from spiffe://other.mesh/ns/default/sa/x';

const STORIES: Readonly<Record<string, Story>> = {
  'schema and evaluation rules': {
    policies: SCHEMA,
    requests: [
      [`--from ${TD}/ns/default/sa/frontend`, 'Deny', OPERATOR],
      [gateway, 'Deny', 'by-service-owner'],
      [`--from ${TD}/ns/legacy/sa/x`, 'Allow', 'by-service-owner', 'Deny'],
      [anyone, 'Allow', 'by-service-owner'],
      [stranger, 'Deny', null],
    ],
  },
  'operator 1: all requests are denied by default': { policies: [], requests: [[anyone, 'Deny', null]] },
  'operator 2: what the operator denies no owner opens': {
    policies: [DENIED, GRANTED],
    requests: [
      [gateway, 'Deny', OPERATOR],
      [`--from ${TD}/ns/default/sa/legacy-workload`, 'Deny', OPERATOR],
      ['--from spiffe://legacy.mesh/ns/a/sa/b', 'Deny', OPERATOR],
      [anyone, 'Allow', OWNER],
    ],
  },
  'operator 3: observability enters everywhere': {
    policies: [OBSERVED],
    requests: [
      [scraper, 'Allow', OPERATOR],
      [`--from ${TD}/ns/observability-2/sa/x`, 'Deny', null],
      [anyone, 'Deny', null],
    ],
  },
  'operator 4: observability reads /metrics': {
    policies: [METRICS],
    requests: [
      [`${scraper} --method GET --path /metrics`, 'Allow', OPERATOR],
      [`${scraper} --method GET --path /metrics/x?y=1`, 'Allow', OPERATOR],
      [`${scraper} --method GET --path /orders`, 'Deny', null],
      [`${anyone} --method GET --path /metrics`, 'Deny', null],
      [scraper, 'Deny', null],
    ],
  },
  'owner 1: grants access to whom he likes, unless the operator denies': {
    policies: [DENIED, GRANTED],
    requests: [
      [anyone, 'Allow', OWNER],
      [gateway, 'Deny', OPERATOR],
    ],
  },
  'owner 2: opts out of observability': { policies: [OBSERVED, OPTED_OUT], requests: [[scraper, 'Deny', OWNER]] },
  'owner 3: blocks a malicious client': {
    policies: [EVERYBODY, BLOCKED],
    requests: [
      [`--from ${TD}/ns/default/sa/malicious`, 'Deny', OWNER],
      [anyone, 'Allow', OPERATOR],
    ],
  },
  'owner 4: everybody reads, some write': {
    policies: [WRITERS],
    requests: [
      [`${stranger} --method GET --path /`, 'Allow', OWNER],
      [`--from ${TD}/ns/default/sa/writer-1 --method POST --path /`, 'Allow', OWNER],
      [`--from ${TD}/ns/writers/sa/x --method post`, 'Allow', OWNER],
      [`${anyone} --method POST --path /`, 'Deny', null],
      [stranger, 'Deny', null],
    ],
  },
};

describe('meridianctl can: each example of docs/design/sources.md#spiffe', { concurrency: 2 }, () => {
  let zone: Live;

  /** Each story has a mesh of its own, all in one zone. */
  before(async () => {
    zone = await startLive(scope, WEST);
    const { plane } = zone.asked;
    for (const [index, { policies }] of Object.values(STORIES).entries()) {
      const mesh = `story-${index}`;
      writeDocuments({ ...plane, place: GLOBAL }, parseDocuments(`{type: Mesh, name: ${mesh}}`));
      const inbound = [{ port: 8080, tags: { 'kuma.io/service': 'backend', 'kuma.io/protocol': 'http' } }];
      const dataplane = { type: 'Dataplane', name: 'backend', labels: { app: 'backend' }, networking: { address: '127.0.0.1', inbound } };
      const documents = [dataplane, ...policies].map((document) => ({ ...document, mesh }));
      const { status, body } = await ask(zone.asked, 'POST', '/apply', documents);
      assert.equal(status, 200, JSON.stringify(body));
    }
  });

  for (const [index, [title, { requests }]] of Object.entries(STORIES).entries()) {
    for (const [asks, decision, decidedBy, shadow = decision] of requests) {
      it(`${title}: ${asks.replaceAll('--from ', '')}: ${decision}${decidedBy ? ` by ${decidedBy}` : ''}`, async () => {
        const { code, out, err } = await zone.run(`can ${asks} --to backend:8080 -m story-${index} -o json`);
        assert.deepEqual([code, err], [decision === 'Allow' ? 0 : 1, '']);
        const answer = JSON.parse(out) as { decision: string; shadow: string; decidedBy: string | null; reason: string };
        const kri = decidedBy && `kri_mtp_story-${index}_west__${decidedBy}_`;
        assert.deepEqual([answer.decision, answer.shadow, answer.decidedBy], [decision, shadow, kri], answer.reason);
      });
    }
  }
});
