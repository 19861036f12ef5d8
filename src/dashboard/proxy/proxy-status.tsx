import { loadMode } from '../mode.ts';
import { Problem } from '../problem.tsx';
import { Table } from '../table.tsx';
import { Time } from '../time.tsx';
import { useLoaded } from '../use-loaded.ts';
import { loadProxy, type ProxyDetail, type ProxyState, stateText, type ToldNack } from './proxy-state.ts';

/** How a proxy stands: its stream, what its Envoy took, and what it refuses in its own words. */
export function ProxyStatusSection({ url, zone }: { url: string; zone: string }) {
  const { value, problem } = useLoaded(`proxy status ${url}`, async () => {
    const { isGlobal } = await loadMode();
    return { state: await loadProxy(url, isGlobal), isGlobal };
  });
  if (!value) return <Problem text={problem} />;
  const { state, isGlobal } = value;
  const { text, health } = stateText(state);
  return (
    <section aria-labelledby="stands" class={health}>
      <h2 id="stands">
        <span class="dot" aria-hidden="true" />
        Stands: {text}
      </h2>
      <Problem text={problem} />
      <Stream state={state} />
      {state.detail && <Detail detail={state.detail} />}
      {!state.detail && state.told.map((nack) => <NackNote key={`${nack.type} ${nack.name}`} {...nack} />)}
      {isGlobal && state.stream && <p class="hint">Its zone {zone} knows more: what it has and what it took, by type.</p>}
    </section>
  );
}

function Stream({ state: { stream } }: { state: ProxyState }) {
  if (!stream) return <p class="hint">No Envoy has asked for its rules yet.</p>;
  const { connected, envoyVersion, since, until, responses } = stream;
  return (
    <p>
      Envoy {envoyVersion}, {connected ? 'connected since' : 'was connected from'} <Time at={since} />
      {until !== undefined && (
        <>
          {' to '}
          <Time at={until} />
        </>
      )}
      ; it took {responses.accepted} of {responses.sent} updates and refused {responses.refused}.
    </p>
  );
}

/** One that its Envoy refuses, in its words. `attempts`: where it is known how often. */
function NackNote({ type, name, message, since, attempts }: ToldNack & { readonly attempts?: number }) {
  return (
    <div role="note" class="nack">
      <p>
        Its Envoy refuses {type} <code>{name}</code> since <Time at={since} />
        {attempts !== undefined && `, ${attempts} times`}:
      </p>
      <pre tabIndex={0}>{message}</pre>
    </div>
  );
}

function Detail({ detail: { streams, problem, refused, notServed, warnings } }: { detail: ProxyDetail }) {
  const nacks = streams.flatMap(({ types }) =>
    types.flatMap((type) => type.refused.map((nack) => ({ ...nack, type: type.typeUrl.split('.').at(-1) ?? '' }))),
  );
  const types = streams.filter(({ connected }) => connected).flatMap((stream) => stream.types);
  const said = [problem?.reason, refused?.reason, ...notServed, ...warnings].filter((text) => text !== undefined);
  return (
    <>
      {nacks.map((nack) => (
        <NackNote key={`${nack.type} ${nack.name}`} {...nack} />
      ))}
      {said.length > 0 && (
        <ul class="warnings">
          {said.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {types.length > 0 && (
        <Table headings={['What', 'Has', 'Sent', 'Took', 'Refused']}>
          {types.map(({ typeUrl, accepted, responses, waiting }) => (
            <tr key={typeUrl}>
              <td>
                {typeUrl.split('.').at(-1)}
                {waiting && ' (an update is on its way)'}
              </td>
              <td>{accepted}</td>
              <td>{responses.sent}</td>
              <td>{responses.accepted}</td>
              <td>{responses.refused}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}
