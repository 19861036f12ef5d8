import * as z from 'zod';
import { DNS_LABEL_REASON, isDnsLabel, isLabelKey, isLabelValue, LABEL_KEY_REASON, LABEL_VALUE_REASON } from '../dns-names.ts';
import { isObject } from '../field-path.ts';

/**
 * The fields that several schemas have. `meta` says to readers of the OpenAPI document what a JSON schema can't see in
 * a check.
 */

export const text = z.string().min(1);

/** An object that is carried as it is. */
export const anyObject = z.custom<Readonly<Record<string, unknown>>>(isObject, 'must be an object').meta({ type: 'object' });

export const dnsLabel = z.string().refine(isDnsLabel, DNS_LABEL_REASON).meta({ pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', maxLength: 63 });

export const port = z.int().min(1).max(65535);

/**
 * Tags end up in a certificate as `kuma://<tag>/<value>`: a `/` in a value would make two different tags look alike
 * there.
 */
const tagKey = z.string().regex(/^[A-Za-z0-9._:/-]{1,255}$/, 'is not a tag: letters, digits, "-", ".", "_", ":" and "/"');
const tagValue = z.string().regex(/^[A-Za-z0-9._:-]{1,255}$/, 'must be up to 255 letters, digits, "-", ".", "_" and ":", and not empty');
export const tags = z.record(tagKey, tagValue);

const labelKey = z.string().refine(isLabelKey, LABEL_KEY_REASON);
/** Empty too: labels without a value are usual, and select like any others. */
const labelValue = z.string().refine(isLabelValue, LABEL_VALUE_REASON);
/** Labels that select: an empty set would select everything, which nobody writes on purpose. */
export const matchLabels = z.record(labelKey, labelValue).refine((labels) => Object.keys(labels).length > 0, 'must not be empty');
