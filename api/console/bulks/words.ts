/** Bulks in words: what one does, and how far it is. Used by the pages of bulks and by the inbox. */
import { inRow } from '../ui/plural.ts';
import { whenTime } from '../ui/time.ts';
import type { Bulk } from '../wire/types.ts';
import { bulkTexts } from './texts.tsx';

const texts = bulkTexts.deed;

const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

const deeds: Readonly<Record<string, (operation: Readonly<Record<string, unknown>>, nameOf: NameOf) => string>> = {
  state: ({ state }) => texts.state(String(state)),
  assign: ({ assignee }, nameOf) => (typeof assignee === 'string' ? texts.assign(nameOf(assignee)) : texts.unassign),
  tags: ({ add, remove }) =>
    inRow([
      ...(listOf(add).length === 0 ? [] : [texts.addTags(listOf(add))]),
      ...(listOf(remove).length === 0 ? [] : [texts.removeTags(listOf(remove))]),
    ]),
  snooze: ({ until }) => (typeof until === 'number' ? texts.snooze(whenTime(until)) : texts.wake),
  update: () => texts.update,
  action: ({ action }) => texts.action(String(action)),
  undo: () => texts.undo,
};

type NameOf = (id: string | null) => string;

/** Returns what an operation does, as the beginning of a sentence. */
export const deedOf = (operation: Readonly<Record<string, unknown>> & { readonly type: string }, nameOf: NameOf) =>
  (Object.hasOwn(deeds, operation.type) ? deeds[operation.type] : undefined)?.(operation, nameOf) ?? operation.type;

/** Returns how far a bulk is, and what became of its items. */
export const progressOf = ({ status, total, done, changed, unchanged, failed }: Bulk): string => {
  const counts = [
    bulkTexts.counts.changed(changed),
    ...(unchanged > 0 ? [bulkTexts.counts.unchanged(unchanged)] : []),
    ...(failed > 0 ? [bulkTexts.counts.failed(failed)] : []),
  ];
  if (status === 'pending') return bulkTexts.waits(total);
  if (status === 'queued' || status === 'running') return bulkTexts.underWay(done, total, counts);
  return status === 'done' ? bulkTexts.done(counts) : bulkTexts.stopped(counts);
};
