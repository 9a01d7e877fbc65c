/** Pending approvals: the queue, irreversible and oldest first, beside the open one. */
import { useQuery } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import { useFreshSignIn } from '../shell/freshSignIn.tsx';
import { useKeys } from '../shell/keyboard.ts';
import { useSession } from '../shell/session.ts';
import { neighbour } from '../ui/choose.ts';
import { useDraft } from '../ui/draft.ts';
import { ListAndDetail } from '../ui/ListAndDetail.tsx';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { Ago } from '../ui/Time.tsx';
import { ApiError } from '../wire/apiError.ts';
import { approvalQuery, approvalsQuery, keys } from '../wire/queries.ts';
import type { Approval } from '../wire/types.ts';
import { Decision } from './Decision.tsx';
import { approvalTexts } from './texts.ts';
import { useIsGrave } from './useIsGrave.ts';

interface ApprovalsPageProps {
  readonly id: string | null;
  readonly onOpen: (id: string | null) => void;
}

/** Orders approvals: irreversible ones first, then the oldest. */
const byUrgency = (a: Approval, b: Approval): number =>
  Number(b.reversible === false) - Number(a.reversible === false) || a.requestedAt - b.requestedAt;

const sameTarget = (a: Approval, b: Approval): boolean =>
  a.id !== b.id &&
  ((a.flag !== null && a.flag === b.flag) ||
    (a.item !== null && a.item === b.item) ||
    (a.record !== null && a.record === b.record && a.resource === b.resource));

/** Returns why a decision failed, with what no longer fits. */
const problemOf = (error: unknown): string => {
  if (!(error instanceof ApiError)) return String(error);
  const details = Array.isArray(error.body['details']) ? (error.body['details'] as readonly unknown[]) : [];
  const said = details.flatMap((detail) =>
    typeof detail === 'object' && detail !== null && 'message' in detail ? [String(detail.message)] : [],
  );
  return [error.message, ...said].join(' ');
};

const Row = ({
  approval,
  isOpen,
  onOpen,
}: {
  readonly approval: Approval;
  readonly isOpen: boolean;
  readonly onOpen: (id: string) => void;
}) => (
  <li>
    <button
      type="button"
      className={`request ${approval.reversible === false ? 'grave' : ''}`}
      aria-current={isOpen}
      onClick={() => onOpen(approval.id)}
    >
      <span dir="auto">{approval.sentence}</span>
      <span className="soft">
        {approval.requestedBy.name} · <Ago at={approval.requestedAt} />
        {approval.reversible === false && ` · ${approvalTexts.canNotBeUndone}`}
        {!approval.canDecide.approve && ` · ${approvalTexts.notYours}`}
      </span>
    </button>
  </li>
);

/** A key that is pressed twice decides once. */
const settleMs = 600;

export const ApprovalsPage = ({ id, onOpen }: ApprovalsPageProps) => {
  const { http, queries, notices } = useSession();
  const { run, dialog } = useFreshSignIn();
  const pending = useQuery(approvalsQuery(http, 'pending'));
  const queue = (pending.data ?? []).toSorted(byUrgency);
  const one = useQuery({ ...approvalQuery(http, id ?? ''), enabled: id !== null });
  const [note, setNote] = useDraft(`${http.environment}.approval.${id ?? ''}`);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<{ readonly id: string; readonly text: string } | null>(null);
  const noteInput = useRef<HTMLInputElement>(null);
  /** The grave request whose approval waits for a second word. */
  const [confirming, setConfirming] = useState<string | null>(null);
  const isGrave = useIsGrave(one.data);
  /** Until when (`performance.now()`) keys decide nothing: the next request has just taken the place of the one that was meant. */
  const keysFrom = useRef(0);
  const at = queue.findIndex((each) => each.id === id);
  const step = (by: 1 | -1): void => {
    const next = neighbour(queue, at, by);
    if (next !== undefined) onOpen(next.id);
  };
  const decide = async (verb: 'approve' | 'reject'): Promise<void> => {
    const approval = one.data;
    if (approval?.status !== 'pending' || !approval.canDecide.approve || isBusy) return;
    const following =
      queue.filter((each) => each.id !== approval.id && each.canDecide.approve)[Math.max(0, at)] ??
      queue.find((each) => each.id !== approval.id);
    setBusy(true);
    setProblem(null);
    try {
      await run(() =>
        http.call('POST', `/approvals/${approval.id}/${verb}`, {
          body: note.trim() === '' ? {} : { note: note.trim() },
        }),
      );
      setNote('');
      setConfirming(null);
      const said = verb === 'approve' ? approvalTexts.approved : approvalTexts.rejected;
      notices.show({ tone: 'done', text: said(approval.sentence) });
      if (following !== undefined) keysFrom.current = performance.now() + settleMs;
      onOpen(following?.id ?? null);
    } catch (error) {
      setProblem({ id: approval.id, text: problemOf(error) });
    }
    setBusy(false);
    void queries.invalidateQueries({ queryKey: keys.approvals });
    void queries.invalidateQueries({ queryKey: keys.approval(approval.id) });
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    Escape: () => (confirming === null ? onOpen(null) : setConfirming(null)),
  });
  const isMine = id !== null && one.data?.status === 'pending' && one.data.canDecide.approve;
  /** What can't be taken back is approved at the second word; everything else at once. */
  const ask = (verb: 'approve' | 'reject'): void => {
    if (verb === 'approve' && isGrave && confirming !== id) setConfirming(id);
    else void decide(verb);
  };
  /** A key that is held down says one word only. */
  const decideByKey =
    (verb: 'approve' | 'reject') =>
    ({ repeat }: KeyboardEvent): void => {
      if (!repeat && performance.now() >= keysFrom.current) ask(verb);
    };
  useKeys(
    isMine
      ? {
          a: decideByKey('approve'),
          r: decideByKey('reject'),
          n: () => noteInput.current?.focus(),
        }
      : {},
    'approval',
  );
  let list: ReactNode;
  if (pending.error !== null) list = <Problem error={pending.error} onRetry={() => void pending.refetch()} />;
  else if (pending.data === undefined) list = <Skeleton rows={4} />;
  else if (queue.length === 0) list = <Empty title={approvalTexts.none}>{approvalTexts.noneAbout}</Empty>;
  else
    list = (
      <ul className="requests">
        {queue.map((approval) => (
          <Row key={approval.id} approval={approval} isOpen={approval.id === id} onOpen={onOpen} />
        ))}
      </ul>
    );
  return (
    <>
      <ListAndDetail
        title={approvalTexts.title}
        total={pending.data === undefined ? null : queue.length}
        list={list}
        isOpen={id !== null}
      >
        {id === null && <Empty title={approvalTexts.nothingOpen}>{approvalTexts.howToOpen}</Empty>}
        {id !== null &&
          one.data === undefined &&
          (one.error === null ? <Skeleton rows={4} /> : <Problem error={one.error} />)}
        {id !== null && one.data !== undefined && (
          <Decision
            key={id}
            approval={one.data}
            others={queue.filter((each) => one.data !== undefined && sameTarget(each, one.data))}
            problem={problem?.id === id ? problem.text : null}
            isBusy={isBusy}
            isConfirming={confirming === id}
            note={note}
            noteInput={noteInput}
            onNote={setNote}
            onDecide={ask}
            onHold={() => setConfirming(null)}
            onBack={() => onOpen(null)}
          />
        )}
      </ListAndDetail>
      {dialog}
    </>
  );
};
