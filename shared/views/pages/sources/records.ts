/** The source `records`: one record, or a table of records. For page.ts. */
import { valueTypes } from '../../../app/blocks/schema.ts';
import { errorBlock } from '../../../app/blocks/validateBlocks.ts';
import type { Block, LinkRecord } from '../../../app/link/protocol.ts';
import type { ManifestResource } from '../../../app/manifest/manifest.ts';
import { withCurrencies } from '../../../app/manifest/money.ts';
import { parseBlockQuery } from '../../../app/manifest/pages/query.ts';
import type { RecordQuery, RecordsQuery } from '../../../app/manifest/pages/schema.ts';
import { getRecord, listRecords, requireVisibleResource } from '../../../records/read.ts';
import {
  type TableColumn,
  type BlockResolver,
  type DeclaredBlock,
  type PageContext,
  tableBlock,
  blockTitle,
} from '../context.ts';

const own: readonly TableColumn[] = [
  { name: 'id', label: 'Id', type: 'text' },
  { name: 'title', label: 'Title', type: 'text' },
  { name: 'subtitle', label: 'Subtitle', type: 'text' },
  { name: 'updatedAt', label: 'Updated', type: 'time' },
];

const isValueType = (type: string | undefined): boolean =>
  (valueTypes as readonly (string | undefined)[]).includes(type);

/** Returns the columns of a record's own members, then those of the declared fields, which replace own members of the same name. */
const columnsOf = ({ fields = [] }: ManifestResource): TableColumn[] => [
  ...own.filter(({ name }) => !fields.some((field) => field.name === name)),
  ...fields.map(({ name, label, type }) => ({
    name,
    label: label ?? name,
    type: isValueType(type) ? (type ?? 'text') : 'text',
  })),
];

/** Returns the columns that a table may show: all for a block that declares columns; else the title and the declared fields. */
const shown = (block: DeclaredBlock, columns: readonly TableColumn[]): TableColumn[] =>
  Array.isArray(block['columns'])
    ? [...columns]
    : columns.filter(({ name }) => name === 'title' || !own.some((column) => column.name === name));

const rowOf = (
  resource: ManifestResource,
  { id, title, subtitle, updatedAt, fields }: LinkRecord,
): Readonly<Record<string, unknown>> => ({
  id,
  title,
  subtitle,
  updatedAt,
  ...withCurrencies(resource, fields),
});

const table = async (context: PageContext, block: DeclaredBlock): Promise<Block> => {
  const { resource: name, ...query } = parseBlockQuery<RecordsQuery>('records', block, context.params);
  const resource = requireVisibleResource(context.caller, name);
  const { records } = await listRecords(context.deps, context.caller, name, query);
  return tableBlock(
    block,
    shown(block, columnsOf(resource)),
    records.map((record) => rowOf(resource, record)),
  );
};

/** Returns a block of one record; an `error` block when the record doesn't exist. Throws `not_found` for an unseen resource. */
const record = async (context: PageContext, block: DeclaredBlock): Promise<Block> => {
  const { resource, id } = parseBlockQuery<RecordQuery>('records', block, context.params);
  requireVisibleResource(context.caller, resource);
  const found = await getRecord(context.deps, context.caller.env, resource, id);
  const title = blockTitle(block);
  return found === null
    ? errorBlock(title, 'not_found', 'There is no such record.')
    : { type: 'record', title, record: found };
};

export const recordsBlock: BlockResolver = (context, block) =>
  block['type'] === 'table' ? table(context, block) : record(context, block);
