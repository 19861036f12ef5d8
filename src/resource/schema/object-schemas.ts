import * as z from 'zod';
import { canonicalAddress } from '../ip-address.ts';
import { ALWAYS } from './check-schema.ts';
import { anyObject, port, tags, text } from './kind-fields.ts';
import { clashesOf } from './inbound-clashes.ts';

/** The kinds that are no policies. What Meridian reads is checked; the rest is carried as it is. */

/** An address that a proxy can listen at, or call. Kuma asks for the same. */
const ipAddress = text.refine((address) => canonicalAddress(address) !== undefined, 'must be an IP address, without a zone');

const inbound = z.looseObject({
  port,
  address: ipAddress.optional(),
  servicePort: port.optional(),
  serviceAddress: ipAddress.optional(),
  name: z.string().optional(),
  protocol: z.string().optional(),
  state: z.string().optional(),
  tags: tags.optional(),
});

const networking = z
  .looseObject({
    address: text,
    inbound: z.array(inbound).optional(),
    outbound: z.array(anyObject).optional(),
    gateway: z.looseObject({ tags: tags.optional() }).optional(),
  })
  .superRefine(({ address, inbound: inbounds }, context) => {
    for (const { index, field, reason } of clashesOf(address, Array.isArray(inbounds) ? inbounds : [])) {
      context.addIssue({ code: 'custom', path: ['inbound', index, field], message: reason });
    }
  }, ALWAYS);

const dataplane = z.looseObject({ networking });

const selector = z
  .looseObject({ dataplaneTags: anyObject.optional(), dataplaneRef: anyObject.optional(), dataplaneLabels: anyObject.optional() })
  .superRefine((given, context) => {
    const [, ...others] = (['dataplaneTags', 'dataplaneRef', 'dataplaneLabels'] as const).filter((field) => given[field] !== undefined);
    for (const field of others) context.addIssue({ code: 'custom', path: [field], message: 'is one selector too many: keep one' });
  }, ALWAYS);

const meshService = z.looseObject({
  selector: selector.optional(),
  ports: z
    .array(
      z.looseObject({
        port,
        targetPort: z.union([port, text], 'must be a port or the name of one').optional(),
        appProtocol: z.string().optional(),
        name: z.string().optional(),
      }),
    )
    .optional(),
});

const meshGateway = z.looseObject({ selectors: z.array(anyObject).optional(), conf: anyObject.optional(), tags: tags.optional() });

/** `attributes` are the site's (docs/design/attributes.md#attributes). */
const zone = z.strictObject({ enabled: z.boolean().optional(), attributes: z.record(text, z.string()).optional() });

/** The schemas of the kinds that have one; the bodies of the others are carried whole. */
export const OBJECTS: Readonly<Record<string, z.ZodType>> = {
  Dataplane: dataplane,
  MeshService: meshService,
  MeshGateway: meshGateway,
  Zone: zone,
};
