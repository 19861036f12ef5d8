import { get } from '../api.ts';

/** A resource that an Envoy does not take, in its own words. */
interface Nack {
  readonly name: string;
  readonly version: string;
  readonly message: string;
  readonly since: string;
  readonly attempts: number;
}

/** How a proxy's stream stands. */
interface EnvoyStream {
  readonly connected: boolean;
  readonly envoyVersion: string;
  readonly since: string;
  readonly until?: string;
  readonly types: readonly {
    readonly typeUrl: string;
    readonly accepted: number;
    readonly waiting: boolean;
    readonly refused: readonly Nack[];
    readonly responses: EnvoyAnswers;
  }[];
}

interface EnvoyAnswers {
  readonly sent: number;
  readonly accepted: number;
  readonly refused: number;
}

/** What its zone knows of a proxy (`_proxy`). */
export interface ProxyDetail {
  readonly streams: readonly EnvoyStream[];
  readonly problem?: { readonly reason: string; readonly since: string };
  readonly refused?: { readonly reason: string; readonly since: string };
  readonly notServed: readonly string[];
  readonly warnings: readonly string[];
}

/** A proxy as it is known here. `detail`: only where its zone is asked, and it is connected. */
export interface ProxyState {
  /** undefined: it was never connected. */
  readonly stream: (Pick<EnvoyStream, 'connected' | 'envoyVersion' | 'since' | 'until'> & { readonly responses: EnvoyAnswers }) | undefined;
  readonly detail: ProxyDetail | undefined;
  /** What its Envoy refuses, as its zone tells: the first of it, cut where it is long. */
  readonly told: readonly ToldNack[];
}

export interface ToldNack {
  readonly type: string;
  readonly name: string;
  readonly message: string;
  readonly since: string;
}

interface ProxyInsight {
  readonly subscriptions: readonly {
    readonly connectTime: string;
    readonly disconnectTime?: string;
    readonly status: { readonly total: Readonly<Record<string, string>> };
    readonly version: { readonly envoy: { readonly version: string } };
    readonly refused?: readonly ToldNack[];
  }[];
}

/** Kuma's insight is here and at global; its zone knows more. Nothing is asked for that is not there. */
export async function loadProxy(url: string, isGlobal: boolean): Promise<ProxyState> {
  const { dataplaneInsight } = await get<{ dataplaneInsight?: ProxyInsight }>(`${url}/_overview`);
  const last = dataplaneInsight?.subscriptions.toSorted((a, b) => (a.connectTime < b.connectTime ? -1 : 1)).at(-1);
  if (!last) return { stream: undefined, detail: undefined, told: [] };
  const { connectTime: since, disconnectTime: until, status, version, refused: told = [] } = last;
  const count = (name: string): number => Number(status.total[name] ?? 0);
  const responses = { sent: count('responsesSent'), accepted: count('responsesAcknowledged'), refused: count('responsesRejected') };
  const stream = {
    connected: until === undefined,
    envoyVersion: version.envoy.version,
    since,
    ...(until === undefined ? {} : { until }),
    responses,
  };
  return { stream, told, detail: isGlobal || until !== undefined ? undefined : await get<ProxyDetail>(`${url}/_proxy`) };
}

/** In a few words, and how it stands. */
export function stateText({ stream, detail, told }: ProxyState): {
  readonly text: string;
  readonly health: 'good' | 'troubled' | 'bad' | '';
} {
  if (!stream) return { text: 'no Envoy was connected yet', health: '' };
  if (!stream.connected) return { text: 'its Envoy is not connected', health: 'troubled' };
  const types = detail?.streams.filter(({ connected }) => connected).flatMap(({ types: all }) => all) ?? [];
  const nacks = detail ? types.flatMap(({ refused }) => refused).length : told.length;
  if (nacks > 0)
    return { text: `its Envoy refuses ${nacks === 1 ? 'an update' : `${nacks} updates`} and keeps what it took last`, health: 'bad' };
  if (detail?.problem ?? detail?.refused) return { text: 'it can’t be given what it should have', health: 'bad' };
  if (types.some(({ waiting }) => waiting)) return { text: 'an update is on its way to its Envoy', health: 'troubled' };
  const { sent, accepted, refused } = stream.responses;
  if (detail) return { text: 'its Envoy took everything', health: 'good' };
  return {
    text: `its Envoy took ${accepted} of ${sent} updates${refused > 0 ? ` and refused ${refused}` : ''}`,
    health: refused > 0 ? 'troubled' : 'good',
  };
}
