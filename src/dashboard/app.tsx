import { useEffect } from 'preact/hooks';
import { EditPage, NewPage } from './editor/edit-page.tsx';
import { Home } from './home/home.tsx';
import { PeerPage } from './home/peer-page.tsx';
import { follow, isLive } from './live.ts';
import { link, type PageAddress, place } from './location.ts';
import { Login } from './login.tsx';
import { MapPage } from './map/map-page.tsx';
import { MatrixPage } from './matrix/matrix-page.tsx';
import { KindPage } from './resources/kind-page.tsx';
import { KindsPage } from './resources/kinds-page.tsx';
import { ResourcePage } from './resources/resource-page.tsx';
import { signOut, token, who } from './session.ts';
import { WhyPage } from './why/why-page.tsx';

const VIEWS = [
  { name: 'Home', parts: [] },
  { name: 'Resources', parts: ['kinds'] },
  { name: 'Map', parts: ['map'] },
  { name: 'Who may call whom', parts: ['matrix'] },
  { name: 'Why denied', parts: ['why'] },
] as const;

/** The whole page: what its address says, for whoever may read. */
export function App() {
  const asks = who.value;
  if (asks === 'unknown') return <p class="loading">Loading</p>;
  if (asks === 'nobody') return <Login />;
  return <Shell name={asks.name} role={asks.role} />;
}

function Shell({ name, role }: { name: string; role: string }) {
  useEffect(follow, []);
  const here = place.value;
  return (
    <>
      <header>
        <a class="skip" href={location.hash === '' ? '#/' : location.hash} onClick={toMain}>
          Skip to the content
        </a>
        <strong>Meridian</strong>
        <nav aria-label="Views">
          {VIEWS.map((view) => (
            <a href={link(view.parts)} aria-current={view.parts[0] === here.parts[0] ? 'page' : undefined}>
              {view.name}
            </a>
          ))}
        </nav>
        <span class="who">
          {isLive.value ? 'live' : 'every second'} · {name} ({role})
          {token.value !== '' && (
            <button type="button" onClick={leave}>
              Sign out
            </button>
          )}
        </span>
      </header>
      <main id="main" tabIndex={-1} class={['matrix', 'map'].includes(here.parts[0] ?? '') ? 'wide' : undefined}>
        <View here={here} role={role} />
      </main>
    </>
  );
}

function View({ here: { parts, query }, role }: { here: PageAddress; role: string }) {
  const [view, about] = parts;
  const asAdmin = role === 'admin';
  if (view === undefined) return <Home asAdmin={asAdmin} />;
  if (view === 'peer' && about !== undefined) return <PeerPage name={about} />;
  if (view === 'matrix') return <MatrixPage query={query} asAdmin={asAdmin} />;
  if (view === 'map') return <MapPage query={query} />;
  if (view === 'why') return <WhyPage query={query} />;
  if (view === 'resource' && about !== undefined) return <ResourcePage kri={about} role={role} />;
  if (view === 'edit' && about !== undefined) return <EditPage key={about} kri={about} role={role} />;
  if (view === 'new') return <NewPage key={query.type} type={query.type ?? ''} role={role} />;
  if (view !== 'kinds') return <NoView />;
  return about === undefined ? <KindsPage role={role} /> : <KindPage path={about} query={query} role={role} />;
}

function NoView() {
  return (
    <>
      <h1>There is no such view</h1>
      <p>
        Go to <a href="#/">Home</a>.
      </p>
    </>
  );
}

function leave(): void {
  signOut();
  location.reload();
}

function toMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
