/** Bulks in words: what one does, and how far it is. Used by the pages of bulks and by the inbox. */
import { count, whenTime } from '../ui/time.ts';
import type { Bulk } from '../wire/types.ts';

const listOf = (value: unknown): string => (Array.isArray(value) ? value.map(String).join(', ') : '');

const deeds: Readonly<Record<string, (operation: Readonly<Record<string, unknown>>, nameOf: NameOf) => string>> = {
  state: ({ state }) => `Set to ${String(state)}`,
  assign: ({ assignee }, nameOf) =>
    typeof assignee === 'string' ? `Assign to ${nameOf(assignee)}` : 'Take the assignment away',
  tags: ({ add, remove }) =>
    [
      ...(listOf(add) === '' ? [] : [`Add tag ${listOf(add)}`]),
      ...(listOf(remove) === '' ? [] : [`Remove tag ${listOf(remove)}`]),
    ].join(', '),
  snooze: ({ until }) => (typeof until === 'number' ? `Snooze until ${whenTime(until)}` : 'Wake'),
  update: () => 'Update',
  action: ({ action }) => `Run ${String(action)}`,
  undo: () => 'Undo an earlier bulk',
};

type NameOf = (id: string | null) => string;

/** Returns what an operation does, as the beginning of a sentence. */
export const deedOf = (operation: Readonly<Record<string, unknown>> & { readonly type: string }, nameOf: NameOf) =>
  (Object.hasOwn(deeds, operation.type) ? deeds[operation.type] : undefined)?.(operation, nameOf) ?? operation.type;

/** Returns how far a bulk is, and what became of its items. */
export const progressOf = ({ status, total, done, changed, unchanged, failed }: Bulk): string => {
  const counts = [
    `${count(changed)} changed`,
    ...(unchanged > 0 ? [`${count(unchanged)} as they were`] : []),
    ...(failed > 0 ? [`${count(failed)} not`] : []),
  ].join(', ');
  if (status === 'pending') return `${count(total)} wait for an approval`;
  if (status === 'queued' || status === 'running') return `${count(done)} of ${count(total)}: ${counts}`;
  return `${status === 'done' ? 'done' : 'stopped'}: ${counts}`;
};
