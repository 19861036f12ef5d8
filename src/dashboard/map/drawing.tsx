import { link } from '../location.ts';
import type { MappedService, ServiceArrow, ServiceMap } from './service-map.ts';
import type { ZoneState } from './zone-state.ts';

/** Pixels: a zone's box and what is between two; what heads a zone; a service's box and the next one. */
const WIDTH = 210;
const BETWEEN = 130;
const HEAD = 70;
const HEIGHT = 38;
const STEP = 52;
const EDGE = 14;

interface PlacedService extends MappedService {
  readonly column: number;
  readonly x: number;
  readonly y: number;
}

interface DrawingProps {
  readonly map: ServiceMap;
  readonly zones: readonly ZoneState[];
  /** The service whose arrows stand out; '': all alike. */
  readonly chosen: string;
  readonly query: Readonly<Record<string, string>>;
}

/** Zones side by side, each with its services; the arrows lie under them. The words below say the same. */
export function Drawing({ map, zones, chosen, query }: DrawingProps) {
  const placed = zones.flatMap(({ name }, column) => place(map, name, column));
  const byId = new Map(placed.map((one) => [one.id, one]));
  const rows = Math.max(1, ...zones.map(({ name }) => map.services.filter(({ zone }) => zone === name).length));
  const height = HEAD + rows * STEP + EDGE;
  const width = zones.length * (WIDTH + BETWEEN);
  return (
    <div class="map" tabIndex={0} role="group" aria-label="Zones and services">
      <div class="map-all" style={{ width: `${width}px`, height: `${height}px` }}>
        {zones.map(({ name, standing, sign, text, peer }, column) => (
          <section
            key={name}
            class={`map-zone ${standing}`}
            data-zone={name}
            aria-label={`Zone ${name}`}
            style={{ left: `${column * (WIDTH + BETWEEN)}px`, width: `${WIDTH}px`, height: `${height}px` }}
          >
            <h2>
              <span class="sign" aria-hidden="true">
                {sign}
              </span>{' '}
              {peer ? <a href={link(['peer', name])}>{name}</a> : name}
            </h2>
            <p title={text}>{text}</p>
          </section>
        ))}
        <svg width={width} height={height} aria-hidden="true">
          <defs>
            {['full', 'part'].map((kind) => (
              <marker key={kind} id={`head-${kind}`} viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
                <path class={`head-${kind}`} d="M0 0L8 4L0 8z" />
              </marker>
            ))}
          </defs>
          {map.arrows.map((arrow) => (
            <Arrow key={`${arrow.from} ${arrow.to}`} arrow={arrow} byId={byId} chosen={chosen} />
          ))}
        </svg>
        {placed.map(({ id, service, inbounds, enforced, x, y }) => (
          <a
            key={id}
            class={`map-service${inbounds > 0 && !enforced ? ' unenforced' : ''}`}
            href={link(['map'], { ...query, service: id === chosen ? '' : id })}
            aria-current={id === chosen ? 'true' : undefined}
            title={`${service}: ${portsText(inbounds, enforced)}`}
            style={{ left: `${x}px`, top: `${y}px`, width: `${WIDTH - 2 * EDGE}px`, height: `${HEIGHT}px` }}
          >
            {service}
          </a>
        ))}
      </div>
    </div>
  );
}

function portsText(inbounds: number, enforced: boolean): string {
  if (inbounds === 0) return 'calls only';
  return `${inbounds} ${inbounds === 1 ? 'port' : 'ports'}${enforced ? '' : ', not enforced'}`;
}

function place({ services }: ServiceMap, zone: string, column: number): PlacedService[] {
  return services
    .filter((one) => one.zone === zone)
    .map((one, row) => ({ ...one, column, x: column * (WIDTH + BETWEEN) + EDGE, y: HEAD + row * STEP }));
}

interface ArrowProps {
  readonly arrow: ServiceArrow;
  readonly byId: ReadonlyMap<string, PlacedService>;
  readonly chosen: string;
}

/** From side to side; within a zone around its right side. What a service may say to itself is told in words alone. */
function Arrow({ arrow: { from, to, fully }, byId, chosen }: ArrowProps) {
  const [source, target] = [byId.get(from), byId.get(to)];
  if (!source || !target || from === to) return null;
  const [right, inner] = [(one: PlacedService) => one.x + WIDTH - 2 * EDGE, source.column === target.column];
  const forward = target.column > source.column;
  const start = forward || inner ? right(source) : source.x;
  const end = forward ? target.x : right(target);
  // Callers leave above the middle and are met below it: so two that call each other have two lines.
  const [startY, endY] = [source.y + HEIGHT / 2 - 5, target.y + HEIGHT / 2 + 5];
  const bend = inner ? 70 : Math.max(60, Math.abs(end - start) / 2);
  const [first, second] = [start + (forward || inner ? bend : -bend), end + (forward ? -bend : bend)];
  const isDim = chosen !== '' && from !== chosen && to !== chosen;
  return (
    <path
      class={`arrow ${fully ? 'full' : 'part'}${isDim ? ' dim' : ''}`}
      d={`M${start} ${startY}C${first} ${startY} ${second} ${endY} ${end} ${endY}`}
      marker-end={`url(#head-${fully ? 'full' : 'part'})`}
    />
  );
}
