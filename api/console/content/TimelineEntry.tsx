/** One entry of a timeline: what somebody wrote in full, how an action or a request ended, everything else on one line. Used by the timeline of an item and the history of a record. */
import type { ReactNode } from 'react';
import { Ago, Aside } from '../ui/marks.tsx';
import { whenTime } from '../ui/time.ts';
import type { RecordEntry } from '../wire/types.ts';
import { Markdown } from './Blocks.tsx';
import { ItemLink, ThingLink } from './links.tsx';
import type { Names } from './names.ts';
import { contentTexts } from './texts.tsx';
import { Fields } from './Value.tsx';
import { isObject } from './values.ts';
import { PlainText } from './Written.tsx';

interface ApproverProps {
  readonly name: string;
  readonly at?: number | null;
}

/** Names the person who approved something, and when. */
export const Approver = ({ name, at = null }: ApproverProps) => (
  <Aside>{contentTexts.timeline.approvedBy(name, at !== null && <Ago isInSentence at={at} />)}</Aside>
);

/** Names of members that hold what a customer wrote, by habit of apps. */
const bodies = ['body', 'text', 'message', 'content'];

interface Brought {
  /** null: nobody wrote anything. */
  readonly text: string | null;
  readonly rest: readonly (readonly [string, unknown])[];
}

/** Returns what the data of an occurrence has. */
export const broughtBy = (data: unknown): Brought => {
  const brought = isObject(data) ? data : {};
  const name = bodies.find((each) => typeof brought[each] === 'string');
  return {
    text: name === undefined ? null : String(brought[name]),
    rest: Object.entries(brought).filter(([each]) => each !== name),
  };
};

/** Returns such data with no more than so many characters of what was written. */
export const shortenedData = (data: unknown, shorten: (text: string) => string): unknown => {
  const { text, rest } = broughtBy(data);
  return text === null ? data : Object.fromEntries([['text', shorten(text)], ...rest]);
};

type Data = Readonly<Record<string, unknown>>;

const { lines, approvalKinds, replyStates, runEnds, approvalEnds } = contentTexts.timeline;

/** Statuses of runs that the app was not called for. */
const neverBegun: ReadonlySet<unknown> = new Set(['pending', 'rejected', 'expired', 'cancelled']);

/** An end after so many ms is told with its own time. */
const lateMs = 60_000;

/** Returns whether an action needed approval or never began, so that its entry stands at the time of the request. */
const wasAskedFor = ({ approvedBy, status }: Data): boolean => isObject(approvedBy) || neverBegun.has(status);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const nameOf = (actor: unknown): string => (isObject(actor) ? textOf(actor['name']) : '');

/** Returns a text of a list by a word of the API's; the word itself when there is none. */
const wordOf = (texts: Readonly<Record<string, string>>, word: unknown): string => texts[textOf(word)] ?? textOf(word);

const whenOf = (at: unknown) => typeof at === 'number' && <Ago isInSentence at={at} />;

/** Names the person who approved what an entry says, and when. */
const ApproverOf = ({ data: { approvedBy, approvedAt } }: { readonly data: Data }) =>
  isObject(approvedBy) ? (
    <Approver name={nameOf(approvedBy)} at={typeof approvedAt === 'number' ? approvedAt : null} />
  ) : null;

const RunEnd = ({ entry: { at }, data }: { readonly entry: RecordEntry; readonly data: Data }) => {
  const { status, message, finishedAt } = data;
  const isAsked = wasAskedFor(data);
  if (!isAsked && !(typeof finishedAt === 'number' && finishedAt - at >= lateMs)) return null;
  return (
    <span dir="auto">
      {contentTexts.timeline.ended(wordOf(runEnds, status), '', whenOf(finishedAt))}
      {isAsked && textOf(message) !== '' && contentTexts.timeline.said(textOf(message))}
    </span>
  );
};

const RequestEnd = ({ data: { approval, status, decidedBy, decidedAt, note, answer } }: { readonly data: Data }) => {
  // The actor of a stale request has not decided it.
  const who = status === 'stale' ? '' : nameOf(decidedBy);
  return (
    <>
      <span dir="auto">
        {contentTexts.timeline.ended(wordOf(approvalEnds, status), who, whenOf(decidedAt))}
        {textOf(note ?? answer) !== '' && contentTexts.timeline.said(textOf(note ?? answer))}
      </span>
      <ThingLink type="approval" id={textOf(approval)}>
        {contentTexts.timeline.request}
      </ThingLink>
    </>
  );
};

/** Opens the run of an entry that is about one. */
const RunLink = ({ data: { run } }: { readonly data: Data }) => {
  return typeof run === 'string' ? (
    <ThingLink type="run" id={run}>
      {contentTexts.timeline.run}
    </ThingLink>
  ) : null;
};

/** Shows how an action or a request ended: who decided, when, and with which message. */
const EntryEnd = ({ entry, data }: { readonly entry: RecordEntry; readonly data: Data }) => {
  if (entry.type === 'approval') return <RequestEnd data={data} />;
  return (
    <>
      <ApproverOf data={data} />
      {entry.type === 'action' && <RunEnd entry={entry} data={data} />}
      {entry.type === 'action' && <RunLink data={data} />}
    </>
  );
};

const said = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);
const listOf = (value: unknown): string => (Array.isArray(value) ? value.map(said).join(', ') : '');
const timeOf = (value: unknown): string => (typeof value === 'number' ? whenTime(value) : contentTexts.timeline.now);

const recordOf = ({ record }: Data): string => (isObject(record) ? said(record['title'] ?? record['id']) : '');

const tagsLine = (who: string, { add, remove }: Data): string => {
  const [added, removed] = [listOf(add), listOf(remove)];
  if (added !== '' && removed !== '') return lines.tagsBoth(who, added, removed);
  return removed === '' ? lines.tagsAdded(who, added) : lines.tagsRemoved(who, removed);
};

const triageLine = (who: string, { answers, closed }: Data): string => {
  if (!isObject(answers)) return closed === true ? lines.triagedClosed(who) : lines.triaged(who);
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
    isObject(occurrences) ? lines.occurredTimes(who, said(occurrences['to'])) : lines.occurred(who),
  state: (who, { from, to }) => lines.state(who, said(from), said(to)),
  assigned: (who, { to }, names, actor) => {
    if (to === null) return lines.unassigned(who);
    return to === actor ? lines.took(who) : lines.assigned(who, names.of(said(to)));
  },
  snoozed: (who, { to }) => (to === null ? lines.awoken(who) : lines.snoozed(who, timeOf(to))),
  woken: (who, _data, _names, actor) => (actor === null ? lines.woken : lines.awoken(who)),
  tags: tagsLine,
  edited: (who, { member, from, to }) => lines.edited(who, said(member), said(from), said(to)),
  action: (who, data) => {
    const { label, action, status, message } = data;
    const [name, end, about] = [said(label) || said(action), said(status), said(message)];
    if (wasAskedFor(data)) return lines.askedFor(who, name);
    return about === '' ? lines.ran(who, name, end) : lines.ranWith(who, name, end, about);
  },
  triage: triageLine,
  approval: (who, { label, kind, question }) =>
    kind === 'question'
      ? lines.asked(who, said(question))
      : lines.approval(who, said(label) || wordOf(approvalKinds, said(kind))),
  delegated: (who, { to }) => (to === null ? lines.undelegated(who) : lines.delegated(who)),
  claim_taken: (who, { from }) => lines.claimTaken(who, isObject(from) ? said(from['name']) : ''),
  linked: (who, data) => lines.linked(who, recordOf(data)),
  unlinked: (who, data) => lines.unlinked(who, recordOf(data)),
};

const Reason = ({ data }: { readonly data: Data }) =>
  typeof data['reason'] === 'string' ? (
    <span className="soft">{contentTexts.timeline.because(data['reason'])}</span>
  ) : null;

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
  const data: Data = isObject(entry.data) ? entry.data : {};
  if (entry.type === 'note')
    return (
      <Written {...of} note={contentTexts.timeline.note}>
        <Markdown text={said(data['text'])} />
        <Reason data={data} />
        <ApproverOf data={data} />
      </Written>
    );
  if (entry.type === 'reply')
    return (
      <Written {...of} note={contentTexts.timeline.reply(wordOf(replyStates, said(data['status'])))}>
        <Markdown text={said(data['text'])} />
        <ApproverOf data={data} />
        {said(data['error']) !== '' && <p className="problem">{said(data['error'])}</p>}
      </Written>
    );
  const occurrence = isObject(data['occurrence']) ? data['occurrence'] : {};
  const brought = entry.type === 'occurred' ? broughtBy(occurrence['data']) : null;
  if (brought?.text !== null && brought !== null)
    return (
      <Written {...of} note={contentTexts.timeline.wroteAgain}>
        <PlainText text={brought.text} />
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
