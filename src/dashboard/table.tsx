import type { ComponentChildren } from 'preact';

/** A table with these headings; its rows are the children. */
export function Table({ headings, children }: { headings: readonly string[]; children: ComponentChildren }) {
  return (
    <table>
      <thead>
        <tr>
          {headings.map((heading) => (
            <th key={heading} scope="col">
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
