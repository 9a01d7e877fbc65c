/** Approvals: the queue of those that wait, irreversible and oldest first, or those that ended in one way, beside the open one. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { ListAndDetail } from '../lists/NamedList.tsx';
import { type ApprovalsSearch, type EndedStatus, readApprovalsSearch, type SearchProps } from '../shell/address.ts';
import { useKeys, neighbour } from '../shell/keyboard.ts';
import { useSession } from '../shell/session.ts';
import { shellTexts } from '../shell/texts.tsx';
import { useDraft } from '../ui/draft.ts';
import { Select } from '../ui/fields.tsx';
import { Empty, Problem, Skeleton, NothingOpen, Unread } from '../ui/Problem.tsx';
import { ShowEarlier, Rows } from '../ui/Rows.tsx';
import { approvalQuery, approvalsQuery, endedApprovalsQuery } from '../wire/approvalQueries.ts';
import type { Approval } from '../wire/types.ts';
import { Decision } from './Decision.tsx';
import type { Edit } from './EditDialog.tsx';
import { useIsGrave } from './gravity.ts';
import { Question } from './Question.tsx';
import { RequestRow } from './RequestRow.tsx';
import { rest, takesClicks, useRestAtEnd, useWaking, wake } from './resting.ts';
import { Several } from './Several.tsx';
import { requestTexts } from './texts.tsx';
import { type Verb, useDecide } from './useDecide.ts';

interface EndedRequestsProps {
  readonly status: EndedStatus;
  readonly openId: string | null;
  readonly onOpen: (id: string) => void;
}

/** The requests that ended in one way, the newest first. */
const EndedRequests = ({ status, openId, onOpen }: EndedRequestsProps) => {
  const { http } = useSession();
  const list = useInfiniteQuery(endedApprovalsQuery(http, status));
  if (list.data === undefined) return <Unread of={list} rows={4} />;
  const requests = list.data.pages.flatMap(({ approvals }) => approvals);
  if (requests.length === 0)
    return <Empty title={requestTexts.queue.noneEnded}>{requestTexts.queue.noneEndedAbout}</Empty>;
  return (
    <>
      <Rows className="requests" hasMore={list.hasNextPage}>
        {requests.map((approval) => (
          <RequestRow key={approval.id} approval={approval} isOpen={approval.id === openId} onOpen={onOpen} />
        ))}
      </Rows>
      <ShowEarlier what="ones" list={list} />
    </>
  );
};

/**
 * Returns the other requests of a queue in the order in which they may follow one of it: those after it, then those
 * before it, the nearest first; those that the person may not decide come last.
 */
const followersOf = (queue: readonly Approval[], id: string): readonly Approval[] => {
  const at = queue.findIndex((each) => each.id === id);
  const others = [...queue.slice(at + 1), ...queue.slice(0, Math.max(0, at)).toReversed()];
  return [
    ...others.filter(({ canDecide }) => canDecide.approve),
    ...others.filter(({ canDecide }) => !canDecide.approve),
  ];
};

interface ApprovalsPageProps {
  readonly id: string | null;
  readonly search: ApprovalsSearch;
}

/** Chooses between the queue and the requests that ended in one way. */
const Which = ({ search: { status }, onSearch }: SearchProps<ApprovalsSearch>) => (
  <Select
    className="wide"
    aria-label={requestTexts.queue.which}
    value={status ?? ''}
    any={requestTexts.queue.pending}
    options={Object.entries(requestTexts.queue.ended)}
    onValue={(next) => onSearch(readApprovalsSearch({ status: next }))}
  />
);

/** Orders approvals: irreversible ones first, then the oldest. */
const byUrgency = (a: Approval, b: Approval): number =>
  Number(b.reversible === false) - Number(a.reversible === false) || a.requestedAt - b.requestedAt;

/** How often a record beside an open request is read again: its app may change it without a word to the service. */
const recordMs = 15_000;

/** Returns the function that opens another request, or the list with null; a list of other requests where `listed` is given. */
const useShow = ({ id, search }: ApprovalsPageProps) => {
  const { environment } = useSession();
  const navigate = useNavigate();
  return (next: string | null, listed = search): void =>
    void (next === null
      ? navigate({ to: '/env/$environment/approvals', params: { environment }, search: listed })
      : navigate({
          to: '/env/$environment/approvals/$id',
          params: { environment, id: next },
          search: listed,
          replace: id !== null,
        }));
};

export const ApprovalsPage = ({ id, search }: ApprovalsPageProps) => {
  const { http, queries } = useSession();
  const onOpen = useShow({ id, search });
  const pending = useQuery(approvalsQuery(http, 'pending'));
  const queue = (pending.data ?? []).toSorted(byUrgency);
  const one = useQuery({
    ...approvalQuery(http, id ?? ''),
    enabled: id !== null,
    refetchInterval: ({ state: { data } }) => data?.status === 'pending' && data.record !== null && recordMs,
  });
  const [note, setNote] = useDraft(`${http.environment}.approval.${id ?? ''}`);
  const { decide: send, isBusy, problem, seen, dialog } = useDecide(id);
  const noteInput = useRef<HTMLInputElement>(null);
  /** The request whose approval waits for its confirmation, or whose rejection for the end of its note. */
  const [asked, setAsked] = useState<{ readonly id: string; readonly verb: Verb } | null>(null);
  const waiting = asked?.id === id ? asked.verb : null;
  const isGrave = useIsGrave(one.data);
  useWaking(id, one.error === null ? one.data?.id : id);
  /** Those decided here: the queue may still have them. */
  const decided = useRef<ReadonlySet<string>>(new Set());
  const at = queue.findIndex((each) => each.id === id);
  const isQueue = search.status === undefined;
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(new Set());
  const selected = queue.filter((each) => selectedIds.has(each.id) && each.canDecide.approve);
  const select = (one: string): void =>
    setSelectedIds((known) => new Set(known.has(one) ? [...known].filter((each) => each !== one) : [...known, one]));
  const close = (): void => {
    if (waiting !== null) setAsked(null);
    else if (id !== null) onOpen(null);
    else setSelectedIds(new Set());
  };
  const step = (by: 1 | -1): void => {
    const next = neighbour(queue, at, by);
    if (next !== undefined) onOpen(next.id);
  };
  const decide = (verb: Verb, edit: Edit = {}): void => {
    const approval = one.data;
    if (approval?.status !== 'pending' || !approval.canDecide.approve || isBusy) return;
    const followers = followersOf(queue, approval.id);
    // Keys that follow the one that ended a note are no commands, even before the response.
    if (waiting === 'reject') rest();
    void send(approval, verb, {
      note,
      edit,
      onDecided: () => {
        decided.current = new Set([...decided.current, approval.id]);
        setNote('');
      },
      onAnswered: (isDecided) => {
        setAsked(null);
        if (!isDecided) {
          wake();
          return;
        }
        rest();
        const latest = new Set(queries.getQueryData(approvalsQuery(http, 'pending').queryKey)?.map((each) => each.id));
        const following = followers.find((each) => latest.has(each.id) && !decided.current.has(each.id));
        onOpen(following?.id ?? null);
      },
    });
  };
  useKeys({
    j: isQueue ? () => step(1) : undefined,
    k: isQueue ? () => step(-1) : undefined,
    Escape: close,
  });
  const isMine = id !== null && one.data?.status === 'pending' && one.data.canDecide.approve;
  useRestAtEnd(id, isMine);
  /** What can't be taken back is approved at its confirmation only; everything else at once. */
  const ask = (verb: Verb): void => {
    if (verb === 'approve' && isGrave && waiting !== 'approve' && id !== null) setAsked({ id, verb });
    else decide(verb);
  };
  /** A letter decides nothing while it is held down, or while a decision is under way. */
  const byLetter =
    (work: () => void) =>
    ({ repeat }: KeyboardEvent): void => {
      if (!repeat && waiting === null && !isBusy) work();
    };
  useKeys(
    isMine
      ? {
          a: byLetter(() => ask('approve')),
          r: byLetter(() => {
            if (id !== null) setAsked({ id, verb: 'reject' });
            noteInput.current?.focus();
          }),
          n: () => noteInput.current?.focus(),
          x: isQueue ? byLetter(() => id !== null && select(id)) : undefined,
        }
      : {},
    'approval',
  );
  let list: ReactNode;
  if (search.status !== undefined) list = <EndedRequests status={search.status} openId={id} onOpen={onOpen} />;
  else if (pending.error !== null) list = <Problem error={pending.error} onRetry={() => void pending.refetch()} />;
  else if (pending.data === undefined) list = <Skeleton rows={4} />;
  else if (queue.length === 0) list = <Empty title={requestTexts.queue.none}>{requestTexts.queue.noneAbout}</Empty>;
  else
    list = (
      <Rows className="requests">
        {queue.map((approval) => (
          <RequestRow
            key={approval.id}
            approval={approval}
            isOpen={approval.id === id}
            onOpen={onOpen}
            {...(approval.canDecide.approve ? { onSelect: select, isSelected: selectedIds.has(approval.id) } : {})}
          />
        ))}
      </Rows>
    );
  return (
    <>
      <ListAndDetail
        title={shellTexts.places.approvals}
        total={pending.data === undefined || !isQueue ? null : queue.length}
        filters={<Which search={search} onSearch={(listed) => onOpen(null, listed)} />}
        list={list}
        isOpen={id !== null}
        foot={isQueue && <Several selected={selected} onClear={() => setSelectedIds(new Set())} />}
      >
        {id === null && (
          <NothingOpen
            hint={
              queue.some(({ canDecide }) => canDecide.approve)
                ? requestTexts.queue.howToDecide
                : requestTexts.queue.howToOpen
            }
          />
        )}
        {id !== null &&
          one.data === undefined &&
          (one.error === null ? <Skeleton rows={4} /> : <Problem error={one.error} />)}
        {one.data?.kind === 'question' && <Question key={id} approval={one.data} onBack={() => onOpen(null)} />}
        {id !== null && one.data !== undefined && one.data.kind !== 'question' && (
          <Decision
            key={id}
            approval={one.data}
            others={queue.filter((each) => one.data?.others?.includes(each.id) === true)}
            problem={problem}
            seen={seen}
            isBusy={isBusy}
            asked={waiting}
            note={note}
            noteInput={noteInput}
            onNote={setNote}
            onDecide={(verb) => takesClicks() && ask(verb)}
            onHold={() => setAsked(null)}
            onBack={() => onOpen(null)}
            onEdited={(edit) => decide('approve', edit)}
          />
        )}
      </ListAndDetail>
      {dialog}
    </>
  );
};
