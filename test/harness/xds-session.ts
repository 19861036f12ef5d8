import type { EncodedResource } from '../../src/xds/wire/encode-resource.ts';
import { XdsSession } from '../../src/xds/server/session.ts';
import { TYPE_URLS } from '../../src/xds/wire/resource-types.ts';
import type { DeltaRequest, DeltaResponse } from '../../src/xds/wire/delta-messages.ts';

/** Content of a type, as `name: version`. */
export type TypeContent = Readonly<Record<string, string>>;

const asking = (typeUrl: string, more: Partial<DeltaRequest> = {}): DeltaRequest => ({
  typeUrl,
  node: undefined,
  subscribe: [],
  unsubscribe: [],
  initialVersions: {},
  nonce: '',
  error: undefined,
  ...more,
});

const resources = (content: TypeContent): Map<string, EncodedResource> =>
  new Map(Object.entries(content).map(([name, version]) => [name, { name, version, value: new Uint8Array() }]));

/** A session on a clock that stands still until it is moved. */
export function openSession() {
  let now = 0;
  const session = new XdsSession({ now: () => now, time: () => `at ${now}` });
  return {
    session,
    pass: (ms: number) => (now += ms),
    give: (content: Partial<Record<keyof typeof TYPE_URLS, TypeContent>>) =>
      session.update(new Map(Object.entries(content).map(([kind, of]) => [TYPE_URLS[kind as keyof typeof TYPE_URLS], resources(of)]))),
    answer: ({ typeUrl, nonce }: DeltaResponse, error?: string) => session.request(asking(typeUrl, { nonce, error })),
    ask: (typeUrl: string, more?: Partial<DeltaRequest>) => session.request(asking(typeUrl, more)),
    next: () => session.next(),
  };
}

/** A response as `+name=version` and `-name`. */
export const shown = (response: DeltaResponse | undefined): string | undefined =>
  response &&
  [...response.resources.map(({ name, version }) => `+${name}=${version}`), ...response.removed.map((name) => `-${name}`)].join(' ');
