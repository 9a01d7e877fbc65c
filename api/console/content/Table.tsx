/** A table of values. Loaded by Blocks.tsx, and with charts. */
import type { Block } from '../wire/types.ts';
import { contentTexts } from './texts.tsx';
import { Value } from './Value.tsx';
import { objects, plain } from './values.ts';

interface TableProps {
  readonly label: string;
  readonly columns: unknown;
  readonly rows: unknown;
}

const toSide = (type: unknown): string => (type === 'number' || type === 'money' ? 'number' : '');

export const Table = ({ label, columns, rows }: TableProps) => {
  const all = objects(columns);
  return (
    // It scrolls by keyboard where it is wider than its place.
    <div className="table" tabIndex={0} role="group" aria-label={label}>
      <table>
        <thead>
          <tr>
            {all.map((column) => (
              <th key={plain(column['name'])} className={toSide(column['type'])}>
                {plain(column['label'])}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {objects(rows).map((row, at) => (
            <tr key={at}>
              {all.map(({ name, type }) => (
                <td key={plain(name)} className={toSide(type)}>
                  <Value value={row[plain(name)]} type={type} currency={row['currency']} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

export const TableBlock = ({ block: { title, columns, rows } }: { readonly block: Block }) => (
  <Table label={title ?? contentTexts.table} columns={columns} rows={rows} />
);
