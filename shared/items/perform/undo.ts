/** Finds the operation that undoes one change of an item, from what the events say that it replaced. For PATCH /items/:id and its approval. */
import type { Caller } from '../../accounts/access/principal.ts';
import { invalidAt } from '../../catalogue/errors.ts';
import { queryRow, statement } from '../../platform/db/sql.ts';
import { idAt } from '../../platform/ids.ts';
import type { PastDeps } from '../../platform/journal/pastEvents.ts';
import type { ItemOperation } from '../operation.ts';
import { notUndone, undoUpdate, type PreviousValues } from '../operations/restore.ts';
import type { UpdateInput } from '../operations/update.ts';

/**
 * Reads along the timeline's index. A change that wrote several entries stands with the first of them, and the others follow it
 * without a verb. What the service, triage, an occurrence or a reply did is not undone by itself, nor does a note stand for a change.
 */
const replacedValuesSql = statement(
  'item.replaced',
  `
  select c.inbox, c.before, c.after
  from events e cross join lateral (
    select * from events c
    where c.env = $1 and c.item = $2 and c.entry is not null and not c.is_update and c.verb is not null and c.id <= e.id
    order by c.id desc limit 1
  ) c
  where e.env = $1 and e.item = $2 and e.entry = $3 and not e.is_update
    and e.type in ('state', 'assigned', 'tags', 'snoozed', 'woken', 'linked', 'unlinked', 'edited', 'delegated')
    and c.at = e.at and (e.verb is null or e.id = c.id) and c.before is not null and c.outcome = 'ok'
    and c.verb in ('item.update', 'item.state', 'item.assign', 'item.tags', 'item.snooze')`,
);

const archivedFault = invalidAt(
  'undo',
  'must be an entry that is not archived; somebody who operates this service can restore the archive',
);

/** Returns whether an entry is of a time of which events are in archives. */
const isArchived = (entry: string, archivedBefore: number | null): boolean =>
  archivedBefore !== null && entry < idAt('ent', archivedBefore);

/** Returns the update that gives an item back what the change of `entry` replaced; it is refused where there is no such change. */
export const findUndo = async (
  { db, directory }: PastDeps,
  { env }: Pick<Caller, 'env'>,
  item: string,
  entry: string,
): Promise<ItemOperation<UpdateInput>> => {
  const found = await queryRow<PreviousValues & { readonly inbox: string }>(db, replacedValuesSql, [
    env.id,
    item,
    entry,
  ]);
  if (found === undefined)
    return undoUpdate(isArchived(entry, directory.past().archivedBefore) ? archivedFault : notUndone);
  const { inbox, before, after } = found;
  const closes = after.state !== undefined && env.definition.inboxes.get(inbox)?.isClosed(after.state) === true;
  return undoUpdate({ before, after, closes });
};
