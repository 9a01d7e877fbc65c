/** The source `counts`: exact counts of inboxes as one number, or as a table with a row per inbox. For page.ts. */
import { findVisibleInbox } from '../../../accounts/access/principal.ts';
import type { Block } from '../../../app/link/protocol.ts';
import type { InboxDefinition } from '../../../app/manifest/definition.ts';
import { parseBlockQuery } from '../../../app/manifest/pages/query.ts';
import { tableMeasures, type CountsQuery } from '../../../app/manifest/pages/schema.ts';
import { fault } from '../../../catalogue/errors.ts';
import { readCounts, toInboxCounts, type InboxCounts } from '../../../items/counts.ts';
import { visibleInboxes } from '../../../items/filters/filters.ts';
import { type BlockResolver, type DeclaredBlock, type PageContext, tableBlock, blockTitle } from '../context.ts';

const inboxesOf = ({ caller }: PageContext, name: string | undefined): InboxDefinition[] => {
  if (name === undefined) return visibleInboxes(caller);
  const inbox = findVisibleInbox(caller, name);
  if (inbox === undefined) throw fault('not_found');
  return [inbox];
};

const columns = [
  { name: 'label', label: 'Inbox', type: 'text' },
  ...tableMeasures.map((measure) => ({
    name: measure,
    label: `${measure.slice(0, 1).toUpperCase()}${measure.slice(1)}`,
    type: 'number',
  })),
];

const table = (block: DeclaredBlock, counted: readonly { inbox: InboxDefinition; counts: InboxCounts }[]): Block =>
  tableBlock(
    block,
    columns,
    counted.map(({ inbox, counts: { byState, open: _, waiting: __, closed: ___, active, ...counts } }) => ({
      name: inbox.name,
      label: inbox.label,
      ...byState,
      ...counts,
      active: active.total,
    })),
  );

const one = ({ count, state }: CountsQuery, { byState, active, ...counts }: InboxCounts): number =>
  state === undefined
    ? {
        ...counts,
        active: active.total,
        activeUnassigned: active.unassigned,
        activeOverdue: active.overdue,
      }[count ?? 'total']
    : Object.hasOwn(byState, state)
      ? (byState[state] ?? 0)
      : 0;

export const countsBlock: BlockResolver = async (context, block) => {
  const { deps, caller, params } = context;
  const query = parseBlockQuery<CountsQuery>('counts', block, params);
  const inboxes = inboxesOf(context, query.inbox);
  const read = await readCounts(deps.db, caller.env.id);
  const counted = inboxes.map((inbox) => ({ inbox, counts: toInboxCounts(inbox, read.inboxes.get(inbox.name) ?? {}) }));
  if (block['type'] === 'table') return table(block, counted);
  return {
    type: 'stat',
    title: blockTitle(block),
    value: counted.reduce((sum, { counts }) => sum + one(query, counts), 0),
    unit: null,
    change: null,
  };
};
