import type { ComponentChildren } from 'preact';
import { get, type KeyFields, type List, path } from '../api.ts';
import { loadMode } from '../mode.ts';
import { Problem } from '../problem.tsx';
import { zoneOf } from '../resources/kri.ts';
import { Time } from '../time.tsx';
import { useLoaded } from '../use-loaded.ts';

/** An entry of the ledger: where the resource stands at one peer. */
interface LedgerRow extends KeyFields {
  readonly peer: string;
  readonly state: 'applied' | 'refused' | 'on its way' | 'unverified';
  readonly reason?: string;
  readonly since?: string;
}

type StepHealth = 'good' | 'troubled' | 'bad';

const HEALTH: Readonly<Record<LedgerRow['state'], StepHealth>> = {
  applied: 'good',
  refused: 'bad',
  'on its way': 'troubled',
  unverified: 'troubled',
};

/** Entries that one request asks for: one of each peer. */
const MOST = 1_000;

interface OnItsWay {
  readonly type: string;
  readonly mesh: string;
  readonly name: string;
  readonly kri: string;
  /** When it was written last, at its origin. */
  readonly written: string;
  /** Whether Envoys have it in the end. */
  readonly isEnforced: boolean;
}

/** The way of a resource from where it was written over global and each zone to the Envoys. */
export function Way({ type, mesh, name, kri, written, isEnforced }: OnItsWay) {
  const url = path('/_ledger', { type, mesh, name, size: MOST });
  const { value, problem } = useLoaded(`way ${url}`, async () => {
    const [ledger, here] = await Promise.all([
      get<List<LedgerRow> & { proxies?: { connected: number; current: number } }>(url),
      loadMode(),
    ]);
    return { entries: ledger.items.filter((entry) => entry.kri === kri), proxies: ledger.proxies, here };
  });
  if (!value) return <Problem text={problem} />;
  const { entries, proxies, here } = value;
  const origin = zoneOf(kri);
  const isOwn = origin === here.zone;
  return (
    <section aria-labelledby="way">
      <h2 id="way">Its way</h2>
      <Problem text={problem} />
      <ol class="way">
        <Step name={origin || 'global'} health="good">
          written <Time at={written} />
        </Step>
        {origin !== '' && !isOwn && (
          <Step name="global" health="good">
            has it
          </Step>
        )}
        {!here.isGlobal && !isOwn && (
          <Step name={here.zone} health="good">
            has it
          </Step>
        )}
        {entries.length > 0 && (
          <li>
            <ul class="peers">
              {entries.map(({ peer, state, since, reason = '' }) => (
                <Step key={peer} name={peer} health={HEALTH[state]}>
                  {state === 'applied' ? 'has it' : state}
                  {since !== undefined && (
                    <>
                      {' since '}
                      <Time at={since} />
                    </>
                  )}
                  {reason !== '' && `: ${reason}`}
                </Step>
              ))}
            </ul>
          </li>
        )}
        {isEnforced && proxies && (
          <Step name="Envoys here" health={proxies.current === proxies.connected ? 'good' : 'troubled'}>
            {proxies.connected === 0 ? 'none is connected' : `${proxies.current} of ${proxies.connected} took all there is`}
          </Step>
        )}
      </ol>
      {entries.length === 0 && here.isGlobal && <p class="hint">It is sent to no zone from here.</p>}
    </section>
  );
}

function Step({ name, health, children }: { name: string; health: StepHealth; children: ComponentChildren }) {
  return (
    <li class={`step ${health}`} data-step={name}>
      <span class="dot" aria-hidden="true" />
      <strong>{name}</strong>
      <span class="step-state">{children}</span>
    </li>
  );
}
