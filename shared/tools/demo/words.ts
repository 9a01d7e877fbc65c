/** The demo's rows for item_words, so that its items are found by their contents at once; used by content.ts. */
import type { InboxDefinition } from '../../environments/definition.ts';
import { entryTexts, furtherLexemes, itemLexemes, occurrenceTexts, type WordsRow } from '../../items/itemWords.ts';
import type { Item } from '../../items/model.ts';
import { creationId } from '../../items/occurrences.ts';
import type { EventRow, OccurrenceRow } from './rows.ts';

interface WrittenItem {
  readonly item: Item;
  readonly occurrences: readonly OccurrenceRow[];
  readonly events: readonly EventRow[];
}

/** Returns an item's rows. The text of its creation is its own, unless occurrences replace that. */
export const wordsRows = (
  env: number,
  { name: inbox, onOccurrence }: InboxDefinition,
  { item: { id: item, title, fields }, occurrences, events }: WrittenItem,
): WordsRow[] => {
  const further = (source: string, texts: readonly string[]): WordsRow[] =>
    texts.length === 0 ? [] : [{ item, source, words: furtherLexemes(env, inbox, texts) }];
  return [
    { item, source: '', words: itemLexemes(env, inbox, title, fields) },
    ...occurrences
      .filter(({ id }) => onOccurrence.update || id !== creationId(item))
      .flatMap(({ id, title: said, data }) =>
        further(id, occurrenceTexts({ title: said, data: JSON.stringify(data) })),
      ),
    ...events.flatMap(({ entry, type, data }) => further(entry, entryTexts(type, data))),
  ];
};
