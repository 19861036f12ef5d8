import * as z from 'zod';
import { dnsLabel, text } from './kind-fields.ts';

const VALUED = ['In', 'NotIn'];

const expression = z
  .strictObject({
    key: text,
    operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
    values: z.array(z.string()).optional(),
  })
  .superRefine(({ operator, values }, context) => {
    const given = Array.isArray(values) && values.length > 0;
    const reason = VALUED.includes(operator) ? 'must not be empty' : `can't be used with ${operator}`;
    if (given !== VALUED.includes(operator)) context.addIssue({ code: 'custom', path: ['values'], message: reason });
  });

/**
 * A set of workloads or services by their attributes: all labels and expressions must hold. `workloadSelector: {}` is
 * everything, and is accepted since ClusterLink's policies say "everybody" with it; a missing selector is not.
 */
const selected = z
  .strictObject({
    workloadSelector: z.strictObject({
      matchLabels: z.record(text, z.string()).optional(),
      matchExpressions: z.array(expression).optional(),
    }),
  })
  .meta({ id: 'WorkloadSelector' });

export type SelectionSpec = z.infer<typeof selected>;

const selection = z.array(selected).min(1);

/**
 * The spec of an AccessPolicy or PrivilegedAccessPolicy (docs/design/attributes.md#kinds): `{action, from[], to[]}`, an
 * item of each must match.
 */
export const accessSchema = z.strictObject({ action: z.enum(['allow', 'deny']), from: selection, to: selection });

export const BALANCING_SCHEMES = ['random', 'round-robin', 'static', 'attributes', 'weighted'] as const;

const MAX_WEIGHT = 1_000_000;

/**
 * The spec of a LoadBalancingPolicy (docs/design/attributes.md#load-balancing), which picks one of the sites that
 * access policies allow:
 *
 *   from, to     which clients and services it is for, as in an AccessPolicy; absent: all
 *   scheme       `random`, `round-robin`, `static`, `attributes` or `weighted`
 *   sites        with `static`: the sites in the order of preference
 *   attributes   with `attributes`: the keys to compare; the site wins that shares the first ones with the client's
 *   weights      with `weighted`: how often each site is picked, next to the others; a site without one, or with 0, is
 *                picked only where no other may be
 *
 *   scheme: attributes
 *   attributes: [site:location]     # same geography first
 */
export const loadBalancingSchema = z
  .strictObject({
    from: selection.optional(),
    to: selection.optional(),
    scheme: z.enum(BALANCING_SCHEMES),
    sites: z.array(dnsLabel).min(1).optional(),
    attributes: z.array(text).min(1).optional(),
    weights: z
      .record(dnsLabel, z.int().min(0).max(MAX_WEIGHT))
      .refine((given) => Object.values(given).some((weight) => weight > 0), 'must have a site with a weight above 0')
      .optional(),
  })
  .superRefine((spec, context) => {
    for (const [field, scheme] of [
      ['sites', 'static'],
      ['attributes', 'attributes'],
      ['weights', 'weighted'],
    ] as const) {
      const given = spec[field] !== undefined;
      const reason = given ? `belongs to the scheme ${scheme} alone` : `is missing: the scheme ${scheme} needs it`;
      if (given !== (spec.scheme === scheme)) context.addIssue({ code: 'custom', path: [field], message: reason });
    }
  });

export type LoadBalancingSpec = z.infer<typeof loadBalancingSchema>;
