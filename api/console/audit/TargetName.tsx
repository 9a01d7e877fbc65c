/**
 * What the target of an entry is called: an item by its title; agents, people, roles and app keys by their names, for those who
 * manage them; anything else by its id. Used by AuditRow and the ledger of agents.
 */
import { useQuery } from '@tanstack/react-query';
import { allows } from '../settings/sections.ts';
import { useSession } from '../shell/session.ts';
import { itemTitleQuery } from '../wire/itemTitles.ts';
import { meQuery } from '../wire/queries.ts';
import { settingsNamesQuery } from '../wire/settingsQueries.ts';
import type { AuditEntry } from '../wire/types.ts';

const managed: ReadonlySet<string | null> = new Set(['agent', 'person', 'role', 'appKey']);

export const TargetName = ({ target: { type, id } }: Pick<AuditEntry, 'target'>) => {
  const { http } = useSession();
  const { data: me } = useQuery(meQuery(http));
  const { data: title } = useQuery({ ...itemTitleQuery(http, id ?? ''), enabled: type === 'item' && id !== null });
  const mayManage = me !== undefined && allows(me, 'settings: manage');
  const { data: names } = useQuery({ ...settingsNamesQuery(http), enabled: managed.has(type) && mayManage });
  const name = title ?? names?.get(id ?? '');
  return name === undefined ? (
    <span className="mono">{id}</span>
  ) : (
    <span className="target-name" dir="auto">
      {name}
    </span>
  );
};
