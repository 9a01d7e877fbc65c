/** One entry of a timeline: what somebody wrote in full, everything else on one line. Used by the timeline of an item and the history of a record. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../shell/session.ts';
import { whenTime } from '../ui/time.ts';
import { Ago } from '../ui/Time.tsx';
import type { RecordEntry } from '../wire/types.ts';
import { Markdown } from './Markdown.tsx';
import type { Names } from './names.ts';
import { Fields } from './Value.tsx';

type Data = Readonly<Record<string, unknown>>;

const isData = (value: unknown): value is Data => typeof value === 'object' && value !== null && !Array.isArray(value);
const said = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);
const listOf = (value: unknown): string => (Array.isArray(value) ? value.map(said).join(', ') : '');
const timeOf = (value: unknown): string => (typeof value === 'number' ? whenTime(value) : 'now');

/** Names of members that hold what a customer wrote, by habit of apps. */
const bodies = ['body', 'text', 'message', 'content'];

/** Returns what an occurrence brought: the text, and the other members. */
const broughtBy = (
  data: Data,
): { readonly text: string | null; readonly rest: readonly (readonly [string, unknown])[] } => {
  const occurrence = isData(data['occurrence']) ? data['occurrence'] : {};
  const brought = isData(occurrence['data']) ? occurrence['data'] : {};
  const body = bodies.find((name) => typeof brought[name] === 'string');
  return {
    text: body === undefined ? null : said(brought[body]),
    rest: Object.entries(brought).filter(([name]) => name !== body),
  };
};

const tagsLine = ({ add, remove }: Data): string =>
  [
    ...(Array.isArray(add) && add.length > 0 ? [`added ${listOf(add)}`] : []),
    ...(Array.isArray(remove) && remove.length > 0 ? [`removed ${listOf(remove)}`] : []),
  ].join(', ');

const recordLine = ({ record }: Data): string => (isData(record) ? said(record['title'] ?? record['id']) : '');

const approvalKinds: Readonly<Record<string, string>> = {
  action: 'an action',
  bulk: 'a bulk',
  flag: 'a flag',
  item: 'a change',
};
const approvalEnds: Readonly<Record<string, string>> = {
  pending: 'it waits',
  approved: 'it was approved',
  rejected: 'it was rejected',
  expired: 'it expired',
  cancelled: 'it was taken back',
  stale: 'it no longer fits what is',
};

const lines: Readonly<Record<string, (data: Data, names: Names) => string>> = {
  created: () => 'made this item',
  occurred: ({ occurrences }) =>
    isData(occurrences) ? `reported it again (${said(occurrences['to'])} times now)` : 'reported it again',
  state: ({ from, to }) => `set the state from ${said(from)} to ${said(to)}`,
  assigned: ({ to }, names) => (to === null ? 'took the assignment away' : `assigned it to ${names.of(said(to))}`),
  snoozed: ({ to }) => (to === null ? 'woke it' : `snoozed it until ${timeOf(to)}`),
  woken: () => 'it woke by itself',
  tags: tagsLine,
  action: ({ label, action, status, message }) =>
    `ran ${said(label) || said(action)}: ${said(status)}${said(message) === '' ? '' : `, ${said(message)}`}`,
  triage: ({ answers, closed }) =>
    `${
      isData(answers)
        ? Object.entries(answers)
            .map(([question, answer]) => `${question}: ${said(answer)}`)
            .join(', ')
        : 'triaged it'
    }${closed === true ? ', closed it' : ''}`,
  approval: ({ status, kind }) =>
    `asked for approval of ${approvalKinds[said(kind)] ?? said(kind)}; ${approvalEnds[said(status)] ?? said(status)}`,
  linked: (data) => `linked ${recordLine(data)}`,
  unlinked: (data) => `unlinked ${recordLine(data)}`,
};

const replyStates: Readonly<Record<string, string>> = {
  sending: 'sending…',
  sent: 'sent',
  failed: 'not sent',
  unknown: 'may have been sent: the end is not known',
};

const Reason = ({ data }: { readonly data: Data }) =>
  typeof data['reason'] === 'string' ? <span className="soft"> because: {data['reason']}</span> : null;

/** Opens the run of an entry that is about one. */
const RunLink = ({ data: { run } }: { readonly data: Data }) => {
  const { environment } = useSession();
  return typeof run === 'string' ? (
    <Link to="/env/$environment/runs" params={{ environment }} search={{ run }}>
      run
    </Link>
  ) : null;
};

const Written = ({
  entry,
  note,
  children,
}: {
  readonly entry: RecordEntry;
  readonly note: string;
  readonly children: ReactNode;
}) => (
  <article className={`written ${entry.type}`}>
    <header>
      <strong dir="auto">{entry.actor.name}</strong>
      <span className="soft">{note}</span>
      <Ago at={entry.at} />
    </header>
    {children}
  </article>
);

export const TimelineEntry = ({ entry, names }: { readonly entry: RecordEntry; readonly names: Names }) => {
  const data: Data = isData(entry.data) ? entry.data : {};
  if (entry.type === 'note')
    return (
      <Written entry={entry} note="note, seen by colleagues only">
        <Markdown text={said(data['text'])} />
        <Reason data={data} />
      </Written>
    );
  if (entry.type === 'reply')
    return (
      <Written entry={entry} note={`reply, ${replyStates[said(data['status'])] ?? said(data['status'])}`}>
        <Markdown text={said(data['text'])} />
        {said(data['error']) !== '' && <p className="problem">{said(data['error'])}</p>}
      </Written>
    );
  const brought = entry.type === 'occurred' ? broughtBy(data) : null;
  if (brought?.text !== null && brought !== null)
    return (
      <Written entry={entry} note="wrote again">
        <Markdown text={brought.text} />
        {brought.rest.length > 0 && <Fields fields={brought.rest.map(([label, value]) => ({ label, value }))} />}
      </Written>
    );
  const line = Object.hasOwn(lines, entry.type) ? lines[entry.type] : undefined;
  return (
    <p className="line">
      <span dir="auto">
        {entry.actor.type === 'system' && entry.type === 'woken' ? '' : `${entry.actor.name} `}
        {line === undefined ? entry.type : line(data, names)}
      </span>
      {entry.type === 'action' && <RunLink data={data} />}
      <Reason data={data} />
      <Ago at={entry.at} />
    </p>
  );
};
