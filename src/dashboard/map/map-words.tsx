import { link } from '../location.ts';
import type { ServiceArrow, ServiceMap } from './service-map.ts';

/** The same in words: of the chosen service, or of all. */
export function MapWords({ map: { services, arrows }, chosen, mesh }: { map: ServiceMap; chosen: string; mesh: string }) {
  const shown = services.filter(({ id }) => chosen === '' || id === chosen);
  return (
    <section aria-labelledby="words">
      <h2 id="words">In words</h2>
      <ul>
        {shown.map(({ id, zone, service, inbounds }) => (
          <li key={id}>
            <strong>{service}</strong> of {zone || 'global'} may call{' '}
            {listText(
              arrows.filter(({ from }) => from === id),
              'to',
            )}
            {chosen === id && inbounds > 0 && (
              <>
                ; it may be called by{' '}
                {listText(
                  arrows.filter(({ to }) => to === id),
                  'from',
                )}
                . <a href={link(['matrix'], { mesh, to: service })}>Who may call it</a>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** `orders of east (in part), web of west`. */
function listText(arrows: readonly ServiceArrow[], end: 'from' | 'to'): string {
  if (arrows.length === 0) return 'nobody';
  return arrows
    .map((arrow) => {
      const [zone = '', ...service] = arrow[end].split('/');
      return `${service.join('/')} of ${zone || 'global'}${arrow.fully ? '' : ' (in part)'}`;
    })
    .join(', ');
}
