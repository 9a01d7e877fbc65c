/** What is said of a request that was approved: that it is, and how what it did is undone or where it shows. Used by ApprovalsPage. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useBulkChanges } from '../bulks/useBulkChanges.ts';
import { isObject } from '../content/values.ts';
import type { FlagPatch } from '../flags/patch.ts';
import { messageOf, useFlagSending } from '../flags/useFlagSending.ts';
import { changeText } from '../flags/words.ts';
import { changeItem } from '../inbox/change.ts';
import type { useFreshSignIn } from '../shell/freshSignIn.tsx';
import { mayFlag } from '../shell/rights.ts';
import { useSession } from '../shell/session.ts';
import { inboxesQuery, meQuery, readNewestEntries } from '../wire/queries.ts';
import type { Approval, Flag, Item } from '../wire/types.ts';
import { shortened } from './shortened.ts';
import { approvalTexts } from './texts.ts';
import { firstEntryOf, hasInverse, undoableOf, undoVerbsOf } from './undoable.ts';

/** The answer to an approval, as far as it is used here; a rejection has no more than the request. */
export interface ApprovedAnswer {
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
export const useApproved = (
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
      const entry = firstEntryOf(decided, await readNewestEntries(session.http, item.id));
      if (entry === undefined) {
        notices.show({ tone: 'failed', text: approvalTexts.notUndone });
        return;
      }
      const done = undoableOf(decided) === 'butNote' ? approvalTexts.undoneButNote : approvalTexts.undone;
      const change = { done, told: () => '', patch: { undo: entry }, shows: {}, touches: [], undo: null };
      changeItem(session, items.get(item.id) ?? item, change, () => undefined);
    } catch (error) {
      notices.show({ tone: 'failed', text: messageOf(error) });
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
        if (id !== null) notices.show({ tone: 'done', text: approvalTexts.bulkIsUndone });
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
      text: approvalTexts.approved(shortened(approval.sentence)),
      actions: [
        ...(undo === null ? [] : [{ label: approvalTexts.undo, key: 'u', run: takeBack }]),
        ...(show === null ? [] : [{ label: approvalTexts.show, key: null, run: () => void show() }]),
      ],
    });
  };
};
