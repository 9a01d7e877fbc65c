/** Blocks made from the exact counts of inboxes: one number, or a row per inbox. */
import { fault } from '../../../catalogue/errors.ts';
import type { Block } from '../../../applink/protocol.ts';
import type { Inbox } from '../../../environments/definition.ts';
import { inboxCounts, readCounts, type InboxCounts } from '../../../items/counts.ts';
import { visibleInboxes } from '../../../items/filters.ts';
import { visibleInbox } from '../../../access/gates.ts';
import { readQuery } from '../../../environments/pages/query.ts';
import { measures, type CountsQuery } from '../../../environments/pages/schema.ts';
import { tableBlock } from '../table.ts';
import { titleOf, type Declared, type PageContext, type Resolve } from '../context.ts';

const inboxesOf = ({ caller }: PageContext, name: string | undefined): Inbox[] => {
  if (name === undefined) return visibleInboxes(caller);
  const inbox = visibleInbox(caller, name);
  if (inbox === undefined) throw fault('not_found');
  return [inbox];
};

const columns = [
  { name: 'label', label: 'Inbox', type: 'text' },
  ...measures.map((measure) => ({ name: measure, label: `${measure.slice(0, 1).toUpperCase()}${measure.slice(1)}`, type: 'number' })),
];

const table = (block: Declared, counted: readonly { inbox: Inbox; counts: InboxCounts }[]): Block =>
  tableBlock(block, columns, counted.map(({ inbox, counts: { byState, ...counts } }) => ({ name: inbox.name, label: inbox.label, ...byState, ...counts })));

const one = ({ count, state }: CountsQuery, { byState, ...counts }: InboxCounts): number =>
  state === undefined ? counts[count ?? 'total'] : Object.hasOwn(byState, state) ? (byState[state] ?? 0) : 0;

export const countsBlock: Resolve = async (context, block) => {
  const { deps, caller, params } = context;
  const query = readQuery<CountsQuery>('counts', block, params);
  const inboxes = inboxesOf(context, query.inbox);
  const read = await readCounts(deps.db, caller.env.id);
  const counted = inboxes.map((inbox) => ({ inbox, counts: inboxCounts(inbox, read.inboxes.get(inbox.name) ?? {}) }));
  if (block['type'] === 'table') return table(block, counted);
  return { type: 'stat', title: titleOf(block), value: counted.reduce((sum, { counts }) => sum + one(query, counts), 0), unit: null, change: null };
};
