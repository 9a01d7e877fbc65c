/** What is said of a request that was approved: that it is, and how what it did is undone or where it shows. Used by ApprovalsPage. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useBulkChanges } from '../bulks/useBulkChanges.ts';
import { isObject } from '../content/values.ts';
import type { FlagPatch } from '../flags/patch.ts';
import { useFlagSending } from '../flags/useFlagSending.ts';
import { changeText } from '../flags/words.ts';
import { changeItem, stateChange } from '../inbox/change.ts';
import type { useFreshSignIn } from '../shell/freshSignIn.tsx';
import { mayFlag } from '../shell/rights.ts';
import { useSession } from '../shell/session.ts';
import { meQuery } from '../wire/queries.ts';
import type { Approval, Flag, Item } from '../wire/types.ts';
import { approvalTexts } from './texts.ts';

/** The answer to an approval, as far as it is used here; a rejection has none of it. */
export interface ApprovedAnswer {
  readonly item?: Item | null;
  readonly run?: string | null;
  readonly flag?: Flag | null;
}

/** Returns the state that an item had before an approved change of its state; null: the request was another. */
const stateBefore = ({ kind, operation, now }: Approval): string | null => {
  const { type }: { readonly type?: unknown } = operation ?? {};
  const { state }: { readonly state?: unknown } = now ?? {};
  return kind === 'item' && type === 'state' && typeof state === 'string' ? state : null;
};

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

/** Operations of bulks that have no inverse. */
const final: ReadonlySet<unknown> = new Set(['action', 'undo']);

/**
 * Returns a function that says that a request is approved. `u` undoes a change of state or of a flag, and a bulk; of others there is a link.
 * `run`: calls, after a fresh sign-in where the API wants one.
 */
export const useApproved = (
  run: ReturnType<typeof useFreshSignIn>['run'],
): ((approval: Approval, answer: ApprovedAnswer) => void) => {
  const session = useSession();
  const { data: me } = useQuery(meQuery(session.http));
  const { undoing } = useFlagSending(run);
  const navigate = useNavigate();
  const { undo: undoBulk } = useBulkChanges();
  const { environment, notices, items } = session;
  const params = { environment };
  const undoOf = (approval: Approval, { item, flag: after }: ApprovedAnswer): (() => void) | null => {
    const { bulk, operation } = approval;
    const { type }: { readonly type?: unknown } = operation ?? {};
    const state = stateBefore(approval);
    if (item != null && state !== null && state !== item.state)
      return () => {
        const current = items.get(item.id) ?? item;
        changeItem(session, current, stateChange(current, state), () => undefined);
      };
    const flagChange = flagChangeOf(approval);
    if (flagChange !== null && after != null && me !== undefined && mayFlag(me, after.flag, 'change'))
      return undoing({ ...flagChange, after, done: doneText(flagChange, after) });
    if (bulk === null || final.has(type)) return null;
    return () =>
      void undoBulk(bulk).then((id) => {
        if (id !== null) notices.show({ tone: 'done', text: approvalTexts.bulkIsUndone });
      });
  };
  const showOf = (approval: Approval, { item, run }: ApprovedAnswer): readonly [string, () => unknown] | null => {
    const { bulk, flag } = approval;
    if (bulk !== null)
      return [
        approvalTexts.showBulk,
        () => navigate({ to: '/env/$environment/bulks/$id', params: { ...params, id: bulk } }),
      ];
    if (run != null)
      return [approvalTexts.showRun, () => navigate({ to: '/env/$environment/runs', params, search: { run } })];
    if (item != null)
      return [
        approvalTexts.showItem,
        () => navigate({ to: '/env/$environment/items', params, search: { show: 'all', item: item.id } }),
      ];
    if (flag !== null)
      return [
        approvalTexts.showFlag,
        () => navigate({ to: '/env/$environment/flags/$flag', params: { ...params, flag } }),
      ];
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
      text: approvalTexts.approved(approval.sentence),
      actions: [
        ...(undo === null ? [] : [{ label: approvalTexts.undo, key: 'u', run: takeBack }]),
        ...(show === null ? [] : [{ label: show[0], key: null, run: () => void show[1]() }]),
      ],
    });
  };
};
