/** How an entry of the audit log ended, in words. Used by AuditRow and the ledger of agents. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useSession } from '../shell/session.ts';
import { approvalsQuery } from '../wire/approvalQueries.ts';
import type { Approval, AuditEntry } from '../wire/types.ts';
import { auditTexts } from './texts.tsx';

/** What is accepted under these verbs goes on by itself: the entry tells its beginning. */
const begun: ReadonlySet<string> = new Set(['action.run', 'action.retry', 'bulk.create', 'bulk.undo']);

export interface Requests {
  /** Those that wait for a decision. */
  readonly pending: readonly Approval[];
  /** The ids of the calls by which a person was asked. */
  readonly calls: ReadonlySet<string | null>;
}

/** Returns what people were asked in these entries. */
export const useRequests = (entries: readonly AuditEntry[] | undefined): Requests => {
  const { http } = useSession();
  const { data } = useQuery({ ...approvalsQuery(http, 'pending'), retry: false });
  return useMemo(() => {
    const requests = (entries ?? []).filter(({ verb }) => verb === 'approval.request');
    return { pending: data ?? [], calls: new Set(requests.map(({ requestId }) => requestId)) };
  }, [data, entries]);
};

/** Returns the request that an entry waits for; undefined: nobody has to decide about it. */
export const requestOf = ({ target, after }: AuditEntry, { pending }: Requests): Approval | undefined => {
  const { bulk }: { readonly bulk?: unknown } = after ?? {};
  // The target of an undone bulk is the former one.
  const id = typeof bulk === 'string' ? bulk : target.id;
  return id === null ? undefined : pending.find((request) => [request.id, request.run, request.bulk].includes(id));
};

/** Returns how it ended, with the class of its mark: what waits for a person, or only began, is not done. */
export const outcomeOf = (entry: AuditEntry, requests: Requests): readonly [string, string] => {
  const { verb, outcome, after, requestId } = entry;
  if (outcome !== 'ok') return [auditTexts.outcome[outcome], 'problem'];
  const isRequest = verb === 'approval.request';
  if (!isRequest && !begun.has(verb)) return [auditTexts.outcome.ok, 'soft'];
  if (requestOf(entry, requests) !== undefined) return [auditTexts.waits, 'hint'];
  const { status }: { readonly status?: unknown } = after ?? {};
  if (isRequest || status === 'pending' || (status === undefined && requests.calls.has(requestId)))
    return [auditTexts.wasAskedFor, 'soft'];
  return [status === 'queued' ? auditTexts.queued : auditTexts.begun, 'soft'];
};
