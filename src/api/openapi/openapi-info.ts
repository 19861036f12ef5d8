import * as z from 'zod';
import { ROLES } from '../auth/principal.ts';
import type { Operation } from './operation.ts';
import { ENVIRONMENTS } from '../../resource/resource.ts';

/** What the control plane says of itself (src/api/operate/info-routes.ts). */

const tag = 'Control plane';
const text = z.string();
const flag = z.boolean();

export const getInfo: Operation = {
  id: 'getInfo',
  summary: 'What answers, and in which version',
  tag,
  answers: {
    200: z.strictObject({
      product: z.literal('Kuma').describe('The API that is spoken'),
      version: text,
      hostname: text,
      instanceId: text,
      clusterId: text,
      gui: text,
      implementation: z.strictObject({ name: z.literal('Meridian'), version: text }),
    }),
  },
};

export const whoAmI: Operation = {
  id: 'whoAmI',
  summary: 'Who asks, and what they may do',
  tag: 'Security',
  answers: { 200: z.strictObject({ name: text, groups: z.array(z.enum(ROLES)).describe('The role') }) },
};

const kindShape = z.strictObject({
  includeInFederation: flag,
  name: text,
  path: text,
  pluralDisplayName: text,
  policy: z
    .strictObject({
      hasFromTargetRef: flag,
      hasRulesTargetRef: flag,
      hasToTargetRef: flag,
      isFromAsRules: flag,
      isTargetRef: flag,
    })
    .optional(),
  readOnly: flag,
  scope: z.enum(['Mesh', 'Global']),
  shortName: text,
  singularDisplayName: text,
});

export const listKinds: Operation = {
  id: 'listKinds',
  summary: 'The kinds that there are',
  tag,
  answers: {
    200: z.strictObject({
      resources: z.array(kindShape).describe("Kuma's kinds"),
      ownResources: z.array(kindShape).describe('Those that Kuma has not'),
    }),
  },
};

const policyKind = z.strictObject({
  name: text,
  readOnly: flag,
  path: text,
  singularDisplayName: text,
  pluralDisplayName: text,
  isExperimental: flag,
  isTargetRefBased: flag,
  isInbound: flag,
  isOutbound: flag,
});

export const listPolicyKinds: Operation = {
  id: 'listPolicyKinds',
  summary: 'The kinds that are policies',
  tag,
  answers: { 200: z.strictObject({ policies: z.array(policyKind) }) },
};

const listener = z.strictObject({ enabled: flag, interface: text, port: z.int() });

export const getConfig: Operation = {
  id: 'getConfig',
  summary: 'The configuration that clients may know',
  tag,
  answers: {
    200: z.strictObject({
      mode: z.enum(['global', 'zone']),
      environment: z.enum(ENVIRONMENTS),
      multizone: z.strictObject({ zone: z.strictObject({ name: text }) }).optional(),
      store: z.strictObject({ type: z.literal('sqlite'), kubernetes: z.strictObject({ systemNamespace: text }) }),
      apiServer: z.strictObject({ http: listener, https: listener.optional() }),
    }),
  },
};
