/** Makes table blocks from rows, with the columns that the block declares or all columns of its source. For sources/. */
import { validateBlock } from '../../app/blocks/validateBlocks.ts';
import type { Block } from '../../app/link/protocol.ts';
import type { DeclaredBlock } from './context.ts';

export interface TableColumn {
  readonly name: string;
  readonly label: string;
  readonly type: string;
}

/** Returns objects and arrays as JSON text, other values unchanged. */
const cell = (value: unknown): unknown => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value);

/** Returns the columns of a block; absent labels and types are those of the source. */
const columnsOf = (declared: unknown, known: readonly TableColumn[]): TableColumn[] => {
  if (!Array.isArray(declared)) return [...known];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- columns are checked when the app declares the page
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
