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
  readonly revision: number | null;
}

/** Entries that are looked at, and rows that are shown. */
const SIZE = 100;
const SHOWN = 10;

/** What was done last at this control plane, and by whom. */
export function RecentChanges() {
  const { value, problem } = useLoaded('audit', () => get<List<AuditRow>>(`/_audit?size=${SIZE}`));
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">Recent changes</h2>
      <Problem text={problem} />
      {value?.items.length === 0 && <p class="hint">Nothing was changed here yet.</p>}
      {value && value.items.length > 0 && (
        <Table headings={['When', 'Who', 'What', 'Outcome']}>
          {byCommit(value.items).map(({ entry, others }) => (
            <tr key={entry.id}>
              <td>
                <time dateTime={entry.time}>{new Date(entry.time).toLocaleString()}</time>
              </td>
              <td>{entry.principal || 'nobody known'}</td>
              <td>
                {entry.operation} {entry.type} <ResourceLink kri={entry.kri} name={entry.name} />
                {others > 0 && ` and ${others >= SIZE / 2 ? 'many' : others} more`}
              </td>
              <td>{entry.outcome}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

/** What one commit did is one row, with how many entries of the same outcome it has besides. */
function byCommit(entries: readonly AuditRow[]): { readonly entry: AuditRow; readonly others: number }[] {
  const rows = new Map<string, { entry: AuditRow; others: number }>();
  for (const entry of entries) {
    const id = entry.revision === null ? `${entry.id}` : `${entry.operation} ${entry.revision} ${entry.outcome}`;
    const row = rows.get(id);
    if (row) row.others++;
    else rows.set(id, { entry, others: 0 });
  }
  return [...rows.values()].slice(0, SHOWN);
}
