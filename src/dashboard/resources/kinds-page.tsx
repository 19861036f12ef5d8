import { get } from '../api.ts';
import { lockOf } from '../editor/lock.ts';
import { link } from '../location.ts';
import { loadMode } from '../mode.ts';
import { Problem } from '../problem.tsx';
import { useLoaded } from '../use-loaded.ts';
import { type ServedKind, loadKinds } from './kinds.ts';

/** The kinds, with how many resources there are of each; those with some come first. */
export function KindsPage({ role }: { role: string }) {
  const { value, problem } = useLoaded('kinds', loadCounts);
  const { value: here } = useLoaded('mode', loadMode);
  const [some, none] = [value?.filter(({ total }) => total > 0) ?? [], value?.filter(({ total }) => total === 0) ?? []];
  return (
    <>
      <h1>Resources</h1>
      {here && lockOf(role, here) === '' && (
        <p>
          <a href={link(['new'])}>New from YAML</a>
        </p>
      )}
      <Problem text={problem} />
      {some.length > 0 && (
        <table class="narrow">
          <thead>
            <tr>
              <th scope="col">Kind</th>
              <th scope="col" class="number">
                Resources
              </th>
            </tr>
          </thead>
          <tbody>
            {some.map(({ kind, total }) => (
              <tr key={kind.path}>
                <td>
                  <a href={link(['kinds', kind.path])}>{kind.name}</a>
                </td>
                <td class="number">{total.toLocaleString('en')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {none.length > 0 && <p class="hint">There are none of these: {none.map(({ kind }) => kind.name).join(', ')}.</p>}
    </>
  );
}

async function loadCounts(): Promise<{ kind: ServedKind; total: number }[]> {
  const kinds = await loadKinds();
  const [{ resources, meshes }, zones] = await Promise.all([
    get<{ resources: Readonly<Record<string, { total: number }>>; meshes: { total: number } }>('/global-insight'),
    get<{ total: number }>('/zones?size=1'),
  ]);
  const counts: Readonly<Record<string, { total: number }>> = { ...resources, Mesh: meshes, Zone: zones };
  return kinds.map((kind) => ({ kind, total: counts[kind.name]?.total ?? 0 }));
}
