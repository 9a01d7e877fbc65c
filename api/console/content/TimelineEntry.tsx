/** One entry of a timeline: what somebody wrote in full, everything else on one line. Used by the timeline of an item and the history of a record. */
import type { ReactNode } from 'react';
import { whenTime } from '../ui/time.ts';
import { Ago } from '../ui/Time.tsx';
import type { RecordEntry } from '../wire/types.ts';
import { broughtBy } from './brought.ts';
import { ApproverOf, EntryEnd, wasAskedFor } from './EntryEnd.tsx';
import { ItemLink } from './ItemLink.tsx';
import { Markdown } from './Markdown.tsx';
import type { Names } from './names.ts';
import { timelineTexts } from './timelineTexts.tsx';
import { Fields } from './Value.tsx';

type Data = Readonly<Record<string, unknown>>;

const isData = (value: unknown): value is Data => typeof value === 'object' && value !== null && !Array.isArray(value);
const said = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);
const listOf = (value: unknown): string => (Array.isArray(value) ? value.map(said).join(', ') : '');
const timeOf = (value: unknown): string => (typeof value === 'number' ? whenTime(value) : timelineTexts.now);

const recordOf = ({ record }: Data): string => (isData(record) ? said(record['title'] ?? record['id']) : '');

const { lines, approvalKinds, replyStates } = timelineTexts;

/** Returns a text of a list by a word of the API's; the word itself when there is none. */
const textOf = (texts: Readonly<Record<string, string>>, word: string): string => texts[word] ?? word;

const tagsLine = (who: string, { add, remove }: Data): string => {
  const [added, removed] = [listOf(add), listOf(remove)];
  if (added !== '' && removed !== '') return lines.tagsBoth(who, added, removed);
  return removed === '' ? lines.tagsAdded(who, added) : lines.tagsRemoved(who, removed);
};

const triageLine = (who: string, { answers, closed }: Data): string => {
  if (!isData(answers)) return closed === true ? lines.triagedClosed(who) : lines.triaged(who);
  const all = Object.entries(answers)
    .map(([question, answer]) => `${question}: ${said(answer)}`)
    .join(', ');
  return closed === true ? lines.answeredClosed(who, all) : lines.answered(who, all);
};

type Line = (who: string, data: Data, names: Names, actor: string | null) => string;

/** The line of an entry by its type; `who`: the name of its actor, `actor`: the id. */
const lineOf: Readonly<Record<string, Line>> = {
  created: lines.created,
  occurred: (who, { occurrences }) =>
    isData(occurrences) ? lines.occurredTimes(who, said(occurrences['to'])) : lines.occurred(who),
  state: (who, { from, to }) => lines.state(who, said(from), said(to)),
  assigned: (who, { to }, names, actor) => {
    if (to === null) return lines.unassigned(who);
    return to === actor ? lines.took(who) : lines.assigned(who, names.of(said(to)));
  },
  snoozed: (who, { to }) => (to === null ? lines.awoken(who) : lines.snoozed(who, timeOf(to))),
  woken: (who, _data, _names, actor) => (actor === null ? lines.woken : lines.awoken(who)),
  tags: tagsLine,
  action: (who, data) => {
    const { label, action, status, message } = data;
    const [name, end, about] = [said(label) || said(action), said(status), said(message)];
    if (wasAskedFor(data)) return lines.askedFor(who, name);
    return about === '' ? lines.ran(who, name, end) : lines.ranWith(who, name, end, about);
  },
  triage: triageLine,
  approval: (who, { label, kind }) => lines.approval(who, said(label) || textOf(approvalKinds, said(kind))),
  linked: (who, data) => lines.linked(who, recordOf(data)),
  unlinked: (who, data) => lines.unlinked(who, recordOf(data)),
};

const Reason = ({ data }: { readonly data: Data }) =>
  typeof data['reason'] === 'string' ? <span className="soft">{timelineTexts.because(data['reason'])}</span> : null;

/** Names the item through which something was done, in the history of a record. */
const ItemOf = ({ item }: Pick<RecordEntry, 'item'>) => (item === null ? null : <ItemLink id={item} />);

interface EntryProps {
  readonly entry: RecordEntry;
  /** Whether it names its item: in the history of a record. */
  readonly namesItem?: boolean;
}

interface WrittenProps extends EntryProps {
  readonly note: string;
  readonly children: ReactNode;
}

const Written = ({ entry, note, namesItem = false, children }: WrittenProps) => (
  <article className={`written ${entry.type}`} id={`entry-${entry.id}`}>
    <header>
      <strong dir="auto">{entry.actor.name}</strong>
      <span className="soft">{note}</span>
      {namesItem && <ItemOf item={entry.item} />}
      <Ago at={entry.at} />
    </header>
    {children}
  </article>
);

export const TimelineEntry = ({ names, ...of }: EntryProps & { readonly names: Names }) => {
  const { entry, namesItem = false } = of;
  const data: Data = isData(entry.data) ? entry.data : {};
  if (entry.type === 'note')
    return (
      <Written {...of} note={timelineTexts.note}>
        <Markdown text={said(data['text'])} />
        <Reason data={data} />
        <ApproverOf data={data} />
      </Written>
    );
  if (entry.type === 'reply')
    return (
      <Written {...of} note={timelineTexts.reply(textOf(replyStates, said(data['status'])))}>
        <Markdown text={said(data['text'])} />
        <ApproverOf data={data} />
        {said(data['error']) !== '' && <p className="problem">{said(data['error'])}</p>}
      </Written>
    );
  const occurrence = isData(data['occurrence']) ? data['occurrence'] : {};
  const brought = entry.type === 'occurred' ? broughtBy(occurrence['data']) : null;
  if (brought?.text !== null && brought !== null)
    return (
      <Written {...of} note={timelineTexts.wroteAgain}>
        <Markdown text={brought.text} />
        {brought.rest.length > 0 && <Fields fields={brought.rest.map(([label, value]) => ({ label, value }))} />}
      </Written>
    );
  const line = Object.hasOwn(lineOf, entry.type) ? lineOf[entry.type] : undefined;
  const who = entry.actor.name;
  return (
    <p className="line">
      <span dir="auto">
        {line === undefined ? lines.other(who, entry.type) : line(who, data, names, entry.actor.id)}
      </span>
      <EntryEnd entry={entry} data={data} />
      <Reason data={data} />
      {namesItem && <ItemOf item={entry.item} />}
      <Ago at={entry.at} />
    </p>
  );
};
