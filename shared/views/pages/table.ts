/** A table block from rows of the service: the declared columns, or all that there are. */
import type { Block } from '../../applink/protocol.ts';
import { validateBlock } from '../../blocks/validateBlocks.ts';
import type { DeclaredBlock } from './context.ts';

export interface TableColumn {
  readonly name: string;
  readonly label: string;
  readonly type: string;
}

/** What a cell can't show as it is, it shows as JSON. */
const cell = (value: unknown): unknown => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value);

/** A column's label and type are those of the source unless the block declares its own. */
const columnsOf = (declared: unknown, known: readonly TableColumn[]): TableColumn[] => {
  if (!Array.isArray(declared)) return [...known];
  return (declared as (Partial<TableColumn> & { readonly name: string })[]).map(({ name, label, type }) => {
    const source = known.find((column) => column.name === name);
    return { name, label: label ?? source?.label ?? name, type: type ?? source?.type ?? 'text' };
  });
};

export const tableBlock = (
  block: DeclaredBlock,
  known: readonly TableColumn[],
  rows: readonly Readonly<Record<string, unknown>>[],
): Block => {
  const columns = columnsOf(block['columns'], known);
  const cells = rows.map((row) =>
    Object.fromEntries(columns.map(({ name }) => [name, Object.hasOwn(row, name) ? cell(row[name]) : null])),
  );
  return validateBlock({ type: 'table', title: block['title'], columns, rows: cells });
};
