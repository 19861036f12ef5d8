import { get, type List, path as pathOf } from '../api.ts';
import { lockOf } from '../editor/lock.ts';
import { link } from '../location.ts';
import { loadMode } from '../mode.ts';
import { Problem } from '../problem.tsx';
import { useLoaded } from '../use-loaded.ts';
import { kindAt } from './kinds.ts';
import { ResourceLink } from './resource-link.tsx';
import { Table } from '../table.tsx';

/** A resource as a list shows it. */
interface ListRow {
  readonly kri: string;
  readonly name: string;
  readonly mesh?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly modificationTime: string;
}

const SIZE = 50;

interface KindPageProps {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly role: string;
}

/** The resources of one kind, a page of them, by a part of their name. */
export function KindPage({ path, query: { name = '', page = '1' }, role }: KindPageProps) {
  const number = /^[1-9]\d{0,6}$/.test(page) ? Number(page) : 1;
  const { value, problem } = useLoaded(`kind ${path} ${name} ${number}`, async () => {
    const kind = await kindAt(path);
    const list = await get<List<ListRow>>(pathOf(`/${path}`, { name, size: SIZE, offset: (number - 1) * SIZE }));
    return { kind, list, here: await loadMode() };
  });
  const filter = (event: Event): void => {
    const { value: wanted } = event.target as HTMLInputElement;
    location.replace(link(['kinds', path], { name: wanted }));
  };
  const pages = Math.max(1, Math.ceil((value?.list.total ?? 0) / SIZE));
  return (
    <>
      <h1>{value?.kind.name ?? path}</h1>
      <p>
        <label for="filter">Name contains</label> <input id="filter" type="search" defaultValue={name} onInput={filter} />{' '}
        {value && lockOf(role, value.here, value.kind) === '' && <a href={link(['new'], { type: value.kind.name })}>New from YAML</a>}
      </p>
      <Problem text={problem} />
      {value?.list.total === 0 && <p class="hint">{name === '' ? 'There are none.' : `No name contains ${name}.`}</p>}
      {value && value.list.items.length > 0 && <Rows items={value.list.items} />}
      {value && (
        <nav aria-label="Pages" class="pages">
          {number > 1 && <a href={link(['kinds', path], { name, page: String(number - 1) })}>Previous</a>}
          <span>
            Page {number} of {pages}, {value.list.total.toLocaleString('en')} in all
          </span>
          {number < pages && <a href={link(['kinds', path], { name, page: String(number + 1) })}>Next</a>}
        </nav>
      )}
    </>
  );
}

function Rows({ items }: { items: readonly ListRow[] }) {
  return (
    <Table headings={['Name', 'Mesh', 'Zone', 'Role', 'Changed']}>
      {items.map(({ kri, name, mesh = '', labels = {}, modificationTime }) => (
        <tr key={kri}>
          <td>
            <ResourceLink kri={kri} name={name} />
          </td>
          <td>{mesh}</td>
          <td>{labels['kuma.io/zone'] ?? 'global'}</td>
          <td>{labels['kuma.io/policy-role'] ?? ''}</td>
          <td>
            <time dateTime={modificationTime}>{new Date(modificationTime).toLocaleString()}</time>
          </td>
        </tr>
      ))}
    </Table>
  );
}
