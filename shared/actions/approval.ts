/** A run that a person has to approve first: written as pending, with the approval that it waits for. */
import { limits } from '../catalogue/limits.ts';
import type { Caller } from '../access/principal.ts';
import { requestApproval } from '../approvals/request.ts';
import type { ActionDeps } from './deps.ts';
import type { SavedAnswer } from '../platform/journal/answers.ts';
import type { Accepted } from './accepted.ts';
import type { Ready } from './check.ts';
import type { Run } from './model.ts';
import { beginRun } from './write.ts';

const summaryOf = ({ label, resource, record }: Run): string => (record === null ? label : `${label}: ${resource ?? ''} ${record}`);

interface Asking {
  /** As it is to be begun. */
  readonly run: Run;
  /** The ended run, when it is asked for again: it stays as it is until somebody approves. */
  readonly ended?: Run;
}

/** The same request by the same principal while one is pending answers with that one. */
export const askForRun = async (deps: ActionDeps, caller: Caller, { run, ended }: Asking, { record }: Pick<Ready, 'record'>, save: (accepted: Accepted) => SavedAnswer | null): Promise<Accepted> => {
  const { action, resource, record: id, item, inbox, input } = run;
  const asked = await requestApproval(deps, caller, {
    kind: 'action',
    summary: summaryOf(run),
    request: { action, resource, record: id, item, input, ...(ended === undefined ? {} : { endedAs: ended.fence }) },
    before: record === 'unverified' ? null : record,
    fingerprint: ['action', action, resource, id, item, input, ended?.id],
    expiresMs: limits.approvalMs,
    run: run.id,
    item: item === null || inbox === null ? null : { id: item, inbox },
    also: async (tx, approval) => {
      if (ended === undefined) await beginRun(tx, { ...run, status: 'pending', approval }, { due: null, saved: null, unlessQueued: false });
    },
    save: ({ approval, run: waiting }) => save({ kind: 'pending', approval, run: waiting ?? run.id }),
  });
  return { kind: 'pending', approval: asked.approval, run: asked.run ?? run.id };
};
