/** Who calls, which requests, and which rule, as the API has them, in words. */

export type CallerKind = 'identity' | 'prefix' | 'sans' | 'other' | 'plaintext' | 'dataplanes';

/** What callers are called, for people: `all below spiffe://td/ns/shop`. */
export function callerWords(kind: CallerKind, name: string): string {
  switch (kind) {
    case 'prefix':
      return `all below ${name}`;
    case 'other':
      return 'everybody else';
    case 'plaintext':
      return 'without a certificate';
    case 'identity':
    case 'sans':
    case 'dataplanes':
      return name;
  }
}

interface ApiMatch {
  readonly type: 'Exact' | 'Prefix';
  readonly value: string;
}

export interface ApiCondition {
  readonly method?: string;
  readonly methodNot?: readonly string[];
  readonly path?: ApiMatch;
  readonly pathNot?: readonly ApiMatch[];
  readonly noPath?: true;
}

/** `GET /admin and below`; all requests: ''. */
export function conditionText({ method, methodNot, path, pathNot, noPath }: ApiCondition): string {
  const parts = [
    method,
    methodNot && methodNot.length > 0 && `any method but ${methodNot.join(', ')}`,
    path && pathText(path),
    pathNot && pathNot.length > 0 && `not ${pathNot.map(pathText).join(', ')}`,
    noPath && 'without a path (CONNECT)',
  ];
  return parts.filter((part) => typeof part === 'string').join(', ');
}

function pathText({ type, value }: ApiMatch): string {
  return type === 'Exact' ? value : `${value} and below`;
}

export interface ApiRule {
  readonly says: string;
  readonly about: {
    readonly spiffeId?: ApiMatch;
    readonly method?: string;
    readonly path?: ApiMatch;
    readonly kind?: string;
    readonly name?: string;
    readonly mesh?: string;
    readonly tags?: Readonly<Record<string, string>>;
  };
}

/** `deny: all below spiffe://td/ns/legacy, GET`; `from MeshService web: Allow`. */
export function ruleText({ says, about }: ApiRule): string {
  const { spiffeId, method, path, kind, name, mesh, tags = {} } = about;
  if (kind !== undefined) {
    const tagged = Object.entries(tags).map(([key, value]) => `${key}=${value}`);
    return `from ${[kind, name, mesh && `of mesh ${mesh}`, ...tagged].filter((part) => part !== undefined && part !== '').join(' ')}: ${says}`;
  }
  const who = spiffeId ? (spiffeId.type === 'Exact' ? spiffeId.value : `all below ${spiffeId.value}`) : 'everybody';
  return `${says}: ${[who, method, path && pathText(path)].filter((part) => part !== undefined).join(', ')}`;
}
