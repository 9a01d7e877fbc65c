/** Decides requests, and tells what came of it where the person is by then: on the request, on another one, or elsewhere; an approved one can be taken back. Used by ApprovalsPage. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useBulkChanges } from '../bulks/BulkLine.tsx';
import { isObject } from '../content/values.ts';
import type { FlagPatch } from '../flags/patch.ts';
import { useFlagSending } from '../flags/useFlagSending.ts';
import { changeText } from '../flags/words.ts';
import { changeItem } from '../inbox/change.ts';
import { useFreshSignIn } from '../shell/freshSignIn.tsx';
import { mayFlag } from '../shell/rights.ts';
import { useSession, useOnScreen } from '../shell/session.ts';
import { inRow } from '../ui/plural.ts';
import { agoInWords } from '../ui/time.ts';
import { ApiError } from '../wire/apiError.ts';
import { inboxesQuery, keys, meQuery, readTimeline } from '../wire/queries.ts';
import type { Approval, Flag, Item } from '../wire/types.ts';
import type { Edit } from './EditDialog.tsx';
import { firstEntryOf, hasInverse, undoVerbsOf, undoableOf, undonePartsOf } from './gravity.ts';
import { requestTexts } from './texts.tsx';

/** The sentences of an answer's details which its own sentence does not have. */
const detailsOf = ({ details, message }: ApiError): readonly string[] =>
  details.map((detail) => detail.message).filter((said) => !message.includes(said));

/** Returns what stands against a decision: who was faster, or what no longer fits. */
const problemOf = (error: unknown): string => {
  if (!(error instanceof ApiError)) return String(error);
  if (error.code === 'changed_since_seen') return requestTexts.verdict.changed;
  if (error.code !== 'already_decided') return [error.message, ...detailsOf(error)].join(' ');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API's own answer to a decision that comes too late
  const { status, decidedBy, decidedAt } = (error.body['approval'] ?? {}) as Partial<Approval>;
  const ends: Readonly<Record<string, string>> = requestTexts.verdict.endsInSentence;
  const end = ends[status ?? ''];
  if (end === undefined) return error.message;
  const when = decidedAt == null ? '' : agoInWords(decidedAt, Date.now());
  return decidedBy == null
    ? requestTexts.verdict.tooLate(end, when)
    : requestTexts.verdict.wasFaster(decidedBy.name, end, when);
};

/** Characters that fit in two lines beside two buttons. */
const charactersMost = 40;

/** An amount with its currency, as sentences quote it. */
const amounts = /"(-?[\d.]+ (?:[A-Z]{3}|in the currency of each record))"/g;

/** The beginning of a request's sentence with its amounts, for notices: these stand over the page. */
const shortened = (sentence: string): string => {
  if (sentence.length <= charactersMost) return sentence;
  const begun = sentence.slice(0, charactersMost - 1).trimEnd();
  const found = [...sentence.matchAll(amounts)].flatMap(([quoted, amount = '']) =>
    begun.includes(quoted) ? [] : [amount],
  );
  return inRow([requestTexts.queue.cut(begun), ...found]);
};

/** The answer to an approval, as far as it is used here; a rejection has no more than the request. */
interface ApprovedAnswer {
  readonly approval?: Approval;
  readonly item?: Item | null;
  readonly run?: string | null;
  readonly flag?: Flag | null;
}

interface FlagChange {
  /** The flag as it was. */
  readonly before: Flag;
  readonly patch: FlagPatch;
}

/** Returns an approved change of a flag; null: the request was another. */
const flagChangeOf = ({ kind, now, change }: Approval): FlagChange | null => {
  if (kind !== 'flag' || !isObject(now) || !isObject(change)) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the present state of a request for a flag is the flag
  return { before: now as unknown as Flag, patch: change };
};

/** Returns a change of a flag in words. */
const doneText = ({ before, patch }: FlagChange, after: Flag): string => {
  const is: Readonly<Record<string, unknown>> = { ...after, targets: patch.targets };
  return changeText({ ...before }, Object.fromEntries(Object.keys(patch).map((name) => [name, is[name]])));
};

/**
 * Returns a function that says that a request is approved. `u` undoes a change of an item or of a flag, and a bulk; of others there is a link.
 * `run`: calls, after a fresh sign-in where the API wants one.
 */
const useApproved = (
  run: ReturnType<typeof useFreshSignIn>['run'],
): ((approval: Approval, answer: ApprovedAnswer) => void) => {
  const session = useSession();
  const { data: me } = useQuery(meQuery(session.http));
  const { data: inboxes } = useQuery(inboxesQuery(session.http));
  const { undoing } = useFlagSending(run);
  const navigate = useNavigate();
  const { undo: undoBulk } = useBulkChanges();
  const { environment, notices, items } = session;
  const params = { environment };
  /** Takes back what an approved change made of an item, by the entry that it wrote. */
  const undoItem = async (decided: Approval, item: Item): Promise<void> => {
    try {
      const { entries } = await readTimeline(session.http, item.id);
      const entry = firstEntryOf(decided, entries);
      if (entry === undefined) {
        notices.failed(requestTexts.queue.notUndone);
        return;
      }
      const done = undoableOf(decided) === 'butNote' ? requestTexts.queue.undoneButNote : requestTexts.queue.undone;
      const change = { done, told: () => '', patch: { undo: entry }, shows: {}, touches: [], undo: null };
      changeItem(session, items.get(item.id) ?? item, change, () => undefined);
    } catch (error) {
      notices.failed(error);
      notices.remember(() => void undoItem(decided, item));
    }
  };
  const mayUndo = (approval: Approval, { inbox }: Item): boolean => {
    const can = inboxes?.find(({ name }) => name === inbox)?.can ?? [];
    const verbs = undoVerbsOf(approval);
    return verbs.length > 0 && verbs.every((verb) => can.includes(verb));
  };
  const undoOf = (
    approval: Approval,
    { approval: decided, item, flag: after }: ApprovedAnswer,
  ): (() => void) | null => {
    const { bulk } = approval;
    if (item != null && decided !== undefined && mayUndo(approval, item)) return () => void undoItem(decided, item);
    const flagChange = flagChangeOf(approval);
    if (flagChange !== null && after != null && me !== undefined && mayFlag(me, after.flag, 'change'))
      return undoing({ ...flagChange, after, done: doneText(flagChange, after) });
    if (bulk === null || !hasInverse(approval)) return null;
    return () =>
      void undoBulk(bulk).then((id) => {
        if (id !== null) notices.done(requestTexts.queue.bulkIsUndone);
      });
  };
  /** Returns what opens the bulk, the run, the item or the flag of a request; null: it has none. */
  const showOf = ({ bulk, flag }: Approval, { item, run }: ApprovedAnswer): (() => unknown) | null => {
    if (bulk !== null) return () => navigate({ to: '/env/$environment/bulks/$id', params: { ...params, id: bulk } });
    if (run != null) return () => navigate({ to: '/env/$environment/runs', params, search: { run } });
    if (item != null)
      return () => navigate({ to: '/env/$environment/items', params, search: { show: 'all', item: item.id } });
    if (flag !== null) return () => navigate({ to: '/env/$environment/flags/$flag', params: { ...params, flag } });
    return null;
  };
  return (approval, answer) => {
    const undo = undoOf(approval, answer);
    const show = showOf(approval, answer);
    let isUndone = false;
    const takeBack = (): void => {
      if (isUndone) return;
      isUndone = true;
      undo?.();
    };
    if (undo !== null) notices.remember(takeBack);
    notices.show({
      tone: 'done',
      text: requestTexts.queue.approved(shortened(approval.sentence)),
      actions: [
        ...(undo === null
          ? []
          : [{ label: requestTexts.queue.undo(undonePartsOf(approval)), key: 'u', run: takeBack }]),
        ...(show === null ? [] : [{ label: requestTexts.queue.show, key: null, run: () => void show() }]),
      ],
    });
  };
};

export type Verb = 'approve' | 'reject';

interface DecideOptions {
  readonly note: string;
  /** The values that replace those of the request. */
  readonly edit?: Edit;
  /** Called once it is decided, whatever is on screen. */
  readonly onDecided: () => void;
  /** Called when it has ended, well or not, while the request is still on screen. */
  readonly onAnswered: (isDecided: boolean) => void;
}

/** `shown`: the id of the request on screen. */
export const useDecide = (shown: string | null) => {
  const { http, queries, notices } = useSession();
  const { run, dialog } = useFreshSignIn();
  const tellApproved = useApproved(run);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<{ readonly id: string; readonly text: string } | null>(null);
  /** Null: none, or the page has been left. */
  const onScreen = useOnScreen(shown);
  /** The request as it was when an approval of it failed because it has changed. */
  const [seen, setSeen] = useState<Approval | null>(null);
  const decide = async (
    approval: Approval,
    verb: Verb,
    { note, edit = {}, onDecided, onAnswered }: DecideOptions,
  ): Promise<void> => {
    const { id, sentence, digest } = approval;
    setBusy(true);
    setProblem(null);
    setSeen(null);
    let isDecided = false;
    try {
      const { body: answer } = await run(() =>
        http.call<ApprovedAnswer>('POST', `/approvals/${id}/${verb}`, {
          body: {
            ...(note.trim() === '' ? {} : { note: note.trim() }),
            ...edit,
            // An approval is bound to what is on screen.
            ...(verb === 'reject' || digest === null ? {} : { digest }),
          },
        }),
      );
      isDecided = true;
      onDecided();
      if (answer.approval?.status === 'pending') notices.done(requestTexts.votes.counts);
      else if (verb === 'approve') tellApproved(approval, answer);
      else notices.done(requestTexts.queue.rejected(shortened(sentence)));
    } catch (error) {
      if (error instanceof ApiError && error.code === 'changed_since_seen') setSeen(approval);
      const text = problemOf(error);
      setProblem({ id, text });
      if (onScreen.current !== id) notices.failed(requestTexts.queue.notDecided(shortened(sentence), text));
    }
    setBusy(false);
    if (onScreen.current === id) onAnswered(isDecided);
    void queries.invalidateQueries({ queryKey: keys.approvals });
    void queries.invalidateQueries({ queryKey: keys.approval(id) });
  };
  return {
    decide,
    isBusy,
    problem: problem !== null && problem.id === shown ? problem.text : null,
    seen: seen?.id === shown ? seen : null,
    dialog,
  };
};
