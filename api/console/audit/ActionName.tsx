/** The action that an entry of the audit log is about, by its title. Used by AuditRow and the ledger of agents. */
import { useQuery } from '@tanstack/react-query';
import { legible } from '../content/legible.ts';
import { isObject } from '../content/values.ts';
import { useSession } from '../shell/session.ts';
import { toWords } from '../ui/words.ts';
import { actionsQuery } from '../wire/actionQueries.ts';
import type { AuditEntry } from '../wire/types.ts';

const membersOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});

/** Returns the name of the action, or of that of a bulk; null: the entry is about none. */
const actionOf = ({ target, before, after }: AuditEntry): string | null => {
  if (target.type === 'action') return target.id;
  const named = [after, before].flatMap((side) => [
    membersOf(side)['action'],
    membersOf(membersOf(side)['operation'])['action'],
  ]);
  return named.find((name) => typeof name === 'string') ?? null;
};

export const ActionName = ({ entry }: { readonly entry: AuditEntry }) => {
  const { http } = useSession();
  const name = actionOf(entry);
  const { data: actions } = useQuery({ ...actionsQuery(http), enabled: name !== null });
  if (name === null) return null;
  const label = actions?.find((action) => action.name === name)?.label ?? toWords(name);
  return <strong dir="auto">{legible(label)}</strong>;
};
