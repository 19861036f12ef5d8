import { get, type KeyFields, type List, path, post } from '../api.ts';
import { link } from '../location.ts';
import { Problem } from '../problem.tsx';
import { displayName, withoutSection, zoneOf } from '../resources/kri.ts';
import { ResourceLink } from '../resources/resource-link.tsx';
import { Time } from '../time.tsx';
import { useLoaded } from '../use-loaded.ts';
import { type CallerRow, callerText, type InboundColumn, inboundText } from './matrix.ts';
import { type ApiCondition, type ApiRule, conditionText, ruleText } from './words.ts';

interface RequestDecision {
  readonly when?: ApiCondition;
  readonly decision: 'Allow' | 'Deny';
  readonly shadow: 'Allow' | 'Deny';
  readonly decidedBy: string | null;
  readonly shadowDecidedBy: string | null;
  readonly rule: ApiRule | null;
  readonly shadowRule: ApiRule | null;
  readonly reason: string;
}

interface OpenedCell {
  readonly mesh: string;
  readonly caller: CallerRow;
  readonly inbound: InboundColumn;
  readonly asAdmin: boolean;
  readonly close: string;
}

/** One cell: for each kind of request the verdict, and because of which rule of which policy. */
export function Cell({ mesh, caller, inbound, asAdmin, close }: OpenedCell) {
  const question = { from: { spiffeIds: caller.sans }, to: { mesh, dataplane: inbound.dataplane, port: inbound.inbound } };
  const { value, problem } = useLoaded(`cell ${JSON.stringify(question)}`, () =>
    post<{ requests: readonly RequestDecision[] }>('/can/requests', question),
  );
  const why = link(['why'], { from: caller.sans.join(' '), mesh, to: inbound.dataplane, port: inbound.inbound });
  return (
    <section class="opened" aria-labelledby="opened">
      <h2 id="opened">
        {callerText(caller)} → <ResourceLink kri={withoutSection(inbound.kri)} name={inboundText(inbound)} />
      </h2>
      <Problem text={problem} />
      {!inbound.enforced && (
        <p role="note" class="not-enforced">
          Not enforced: no listener is served there, and no proxy asks the policies.
        </p>
      )}
      {value?.requests.map((one, index) => (
        <Because key={index} decided={one} mesh={mesh} zone={inbound.zone} asAdmin={asAdmin} />
      ))}
      <p>
        {caller.sans.length > 0 && <a href={why}>Ask about one request</a>} <a href={close}>Close</a>
      </p>
    </section>
  );
}

interface BecauseProps {
  readonly decided: RequestDecision;
  readonly mesh: string;
  readonly zone: string;
  readonly asAdmin: boolean;
}

function Because({ decided, mesh, zone, asAdmin }: BecauseProps) {
  const { when = {}, decision, shadow, decidedBy, shadowDecidedBy, rule, shadowRule, reason } = decided;
  const requests = conditionText(when);
  return (
    <div class={`because ${decision === 'Allow' ? 'good' : 'bad'}`}>
      <h3>
        <span class={`mark verdict-${decision === 'Allow' ? 'A' : 'D'}`} aria-hidden="true" />
        {decision}
        {requests !== '' && <span class="when"> {requests}</span>}
      </h3>
      <p>
        {decidedBy === null ? (
          reason
        ) : (
          <>
            because <ResourceLink kri={decidedBy} name={displayName(decidedBy)} />{' '}
            {rule ? (
              <>
                says <code>{ruleText(rule)}</code>
              </>
            ) : (
              `: ${reason}`
            )}
          </>
        )}
      </p>
      {decidedBy !== null && <Provenance kri={decidedBy} mesh={mesh} zone={zone} asAdmin={asAdmin} />}
      {shadow !== decision && (
        <p>
          In shadow: {shadow}
          {shadowDecidedBy !== null && (
            <>
              {' '}
              because <ResourceLink kri={shadowDecidedBy} name={displayName(shadowDecidedBy)} />
              {shadowRule && (
                <>
                  {' '}
                  says <code>{ruleText(shadowRule)}</code>
                </>
              )}
            </>
          )}
        </p>
      )}
    </div>
  );
}

interface AuditPart {
  readonly time: string;
  readonly principal: string;
  readonly outcome: string;
}

interface PolicySource {
  readonly written: AuditPart | undefined;
  readonly changed: string;
  readonly delivery: { readonly state: string; readonly since?: string } | undefined;
}

/** Who wrote the policy, and since when the target's zone has it. */
function Provenance({ kri, mesh, zone, asAdmin }: { kri: string; mesh: string; zone: string; asAdmin: boolean }) {
  const { value } = useLoaded(`provenance ${kri} ${zone}`, () => loadSource(kri, mesh, zone, asAdmin));
  if (!value) return null;
  const { written, changed, delivery } = value;
  const origin = zoneOf(kri);
  return (
    <p class="hint">
      written {written ? `by ${written.principal || 'nobody known'}` : `in ${origin || 'global'}`}, <Time at={written?.time ?? changed} />
      {delivery && (
        <>
          {' · '}
          {zone}: {delivery.state === 'applied' ? 'in force' : delivery.state}
          {delivery.since !== undefined && (
            <>
              {' since '}
              <Time at={delivery.since} />
            </>
          )}
        </>
      )}
    </p>
  );
}

async function loadSource(kri: string, mesh: string, zone: string, asAdmin: boolean): Promise<PolicySource> {
  const { type, modificationTime } = await get<{ type: string; modificationTime: string }>(`/_kri/${encodeURIComponent(kri)}`);
  const [audit, ledger] = await Promise.all([
    asAdmin ? get<List<AuditPart>>(path('/_audit', { kri, size: 20 })) : undefined,
    get<List<KeyFields & { state: string; since?: string }>>(path('/_ledger', { type, mesh, name: displayName(kri), peer: zone })),
  ]);
  const written = audit?.items.find(({ outcome }) => outcome === 'created' || outcome === 'changed');
  return { written, changed: modificationTime, delivery: ledger.items.find((entry) => entry.kri === kri) };
}
