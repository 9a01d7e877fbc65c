/** Shows how an action or a request ended: who decided, when, and with which message. Used by TimelineEntry. */
import { Link } from '@tanstack/react-router';
import { useSession } from '../shell/session.ts';
import { Ago } from '../ui/Time.tsx';
import type { RecordEntry } from '../wire/types.ts';
import { Approver } from './Approver.tsx';
import { timelineTexts } from './timelineTexts.tsx';
import { isObject } from './values.ts';

type Data = Readonly<Record<string, unknown>>;

const { runEnds, approvalEnds, ended, said } = timelineTexts;

/** Statuses of runs that the app was not called for. */
const neverBegun: ReadonlySet<unknown> = new Set(['pending', 'rejected', 'expired', 'cancelled']);

/** An end after so many ms is told with its own time. */
const lateMs = 60_000;

/** Returns whether an action needed approval or never began, so that its entry stands at the time of the request. */
export const wasAskedFor = ({ approvedBy, status }: Data): boolean => isObject(approvedBy) || neverBegun.has(status);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const nameOf = (actor: unknown): string => (isObject(actor) ? textOf(actor['name']) : '');

/** Returns a text of a list by a word of the API's; the word itself when there is none. */
const endOf = (texts: Readonly<Record<string, string>>, status: unknown): string =>
  texts[textOf(status)] ?? textOf(status);

const whenOf = (at: unknown) => typeof at === 'number' && <Ago isInSentence at={at} />;

/** Names the person who approved what an entry says, and when. */
export const ApproverOf = ({ data: { approvedBy, approvedAt } }: { readonly data: Data }) =>
  isObject(approvedBy) ? (
    <Approver name={nameOf(approvedBy)} at={typeof approvedAt === 'number' ? approvedAt : null} />
  ) : null;

const RunEnd = ({ entry: { at }, data }: { readonly entry: RecordEntry; readonly data: Data }) => {
  const { status, message, finishedAt } = data;
  const isAsked = wasAskedFor(data);
  if (!isAsked && !(typeof finishedAt === 'number' && finishedAt - at >= lateMs)) return null;
  return (
    <span dir="auto">
      {ended(endOf(runEnds, status), '', whenOf(finishedAt))}
      {isAsked && textOf(message) !== '' && said(textOf(message))}
    </span>
  );
};

const RequestEnd = ({ data: { approval, status, decidedBy, decidedAt, note } }: { readonly data: Data }) => {
  const { environment } = useSession();
  // The actor of a stale request has not decided it.
  const who = status === 'stale' ? '' : nameOf(decidedBy);
  return (
    <>
      <span dir="auto">
        {ended(endOf(approvalEnds, status), who, whenOf(decidedAt))}
        {textOf(note) !== '' && said(textOf(note))}
      </span>
      <Link to="/env/$environment/approvals/$id" params={{ environment, id: textOf(approval) }}>
        {timelineTexts.request}
      </Link>
    </>
  );
};

/** Opens the run of an entry that is about one. */
const RunLink = ({ data: { run } }: { readonly data: Data }) => {
  const { environment } = useSession();
  return typeof run === 'string' ? (
    <Link to="/env/$environment/runs" params={{ environment }} search={{ run }}>
      {timelineTexts.run}
    </Link>
  ) : null;
};

export const EntryEnd = ({ entry, data }: { readonly entry: RecordEntry; readonly data: Data }) => {
  if (entry.type === 'approval') return <RequestEnd data={data} />;
  return (
    <>
      <ApproverOf data={data} />
      {entry.type === 'action' && <RunEnd entry={entry} data={data} />}
      {entry.type === 'action' && <RunLink data={data} />}
    </>
  );
};
