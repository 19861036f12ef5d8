import type { Labels } from '../../resource/labels.ts';
import { attributeKey } from './attribute-keys.ts';
import { originOf } from './attribute-trust.ts';
import { type Attributes, readAttributes } from './attributes.ts';

/** What another zone said of its workload, or why that is not taken. */
export type ForeignCaller =
  | { readonly attributes: Attributes }
  | { readonly refused: 'site-attributes' | 'unknown-attributes'; readonly reason: string };

/**
 * The attributes of a workload that another zone speaks of. Those of its site are not its to say
 * (docs/design/attributes.md#who-knows-what), and what no workload has is not guessed at: with either of them nothing
 * is taken.
 *
 *   {k8s:ns: shop}                    ->  taken
 *   {k8s:ns: shop, site:name: west}   ->  refused
 */
export function readForeignCaller(given: Labels): ForeignCaller {
  const keys = Object.keys(given);
  const unknown = keys.find((key) => attributeKey('source', key) === undefined);
  if (unknown !== undefined)
    return { refused: 'unknown-attributes', reason: `${JSON.stringify(unknown)} is no attribute of a caller that is known here` };
  const ofSite = keys.find((key) => !isOfWorkload(attributeKey('source', key) ?? ''));
  if (ofSite !== undefined)
    return {
      refused: 'site-attributes',
      reason: `${JSON.stringify(ofSite)} is of a site: what that has is known here, and not to be said`,
    };
  const attributes = readAttributes('source', given);
  return attributes ? { attributes } : { refused: 'unknown-attributes', reason: 'one attribute is given two values' };
}

/** What a zone says of its caller to another one: all but the attributes of its site. */
export function ownAttributes(source: Attributes): Labels {
  return Object.fromEntries([...source].filter(([key]) => isOfWorkload(key)));
}

function isOfWorkload(key: string): boolean {
  return originOf(key, 'workload').scope === 'workload';
}
