import { get, type List } from '../api.ts';
import { useLoaded } from '../use-loaded.ts';

/** Which mesh is shown. */
export function MeshSelect({ mesh, onMesh }: { mesh: string; onMesh: (mesh: string) => void }) {
  const { value } = useLoaded('meshes', () => get<List<{ name: string }>>('/meshes?size=1000'));
  const meshes = value?.items.map(({ name }) => name) ?? [mesh];
  return (
    <label>
      Mesh{' '}
      <select value={mesh} onChange={(event) => onMesh(event.currentTarget.value)}>
        {meshes.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
