import { get, type List } from '../api.ts';
import { Problem } from '../problem.tsx';
import { ResourceLink } from '../resources/resource-link.tsx';
import { useLoaded } from '../use-loaded.ts';
import { Table } from '../table.tsx';

interface AuditRow {
  readonly id: number;
  readonly time: string;
  readonly principal: string;
  readonly operation: string;
  readonly type: string;
  readonly mesh: string;
  readonly name: string;
  readonly kri: string;
  readonly outcome: string;
}

/** What was done last at this control plane, and by whom. */
export function RecentChanges() {
  const { value, problem } = useLoaded('audit', () => get<List<AuditRow>>('/_audit?size=10'));
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">Recent changes</h2>
      <Problem text={problem} />
      {value?.items.length === 0 && <p class="hint">Nothing was changed here yet.</p>}
      {value && value.items.length > 0 && (
        <Table headings={['When', 'Who', 'What', 'Outcome']}>
          {value.items.map((entry) => (
            <tr key={entry.id}>
              <td>
                <time dateTime={entry.time}>{new Date(entry.time).toLocaleString()}</time>
              </td>
              <td>{entry.principal || 'nobody known'}</td>
              <td>
                {entry.operation} {entry.type} <ResourceLink kri={entry.kri} name={entry.name} />
              </td>
              <td>{entry.outcome}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
