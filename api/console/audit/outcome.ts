/** How an entry of the audit log ended, in words. Used by AuditRow and the ledger of agents. */
import { useMemo } from 'react';
import { isObject } from '../content/values.ts';
import { useRead } from '../shell/session.ts';
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
  /** What people were asked for, by the id of the request, as far as it is among the entries. */
  readonly summaries: ReadonlyMap<string, string>;
  /** Who approved, by the id of the run or the bulk that waited, as far as it is among the entries. */
  readonly approvers: ReadonlyMap<string, string>;
  /** The bulks, by the calls by which they were begun, as far as that is among the entries. */
  readonly bulks: ReadonlyMap<string, string>;
}

const textsOf = (pairs: readonly (readonly [unknown, unknown])[]): ReadonlyMap<string, string> =>
  new Map(
    pairs.flatMap(([key, value]): [string, string][] =>
      typeof key === 'string' && typeof value === 'string' ? [[key, value]] : [],
    ),
  );

const afterOf = ({ after }: AuditEntry): Readonly<Record<string, unknown>> => ({ ...after });

/** Returns the entries of what was really done under these verbs. */
const doneUnder = (entries: readonly AuditEntry[], ...verbs: readonly string[]): readonly AuditEntry[] =>
  entries.filter(({ verb, outcome }) => outcome === 'ok' && verbs.includes(verb));

/** Returns what people were asked in these entries. */
export const useRequests = (entries: readonly AuditEntry[] | undefined): Requests => {
  const { data } = useRead((http) => ({ ...approvalsQuery(http, 'pending'), retry: false }));
  return useMemo(() => {
    const all = entries ?? [];
    const requests = all.filter(({ verb }) => verb === 'approval.request');
    return {
      pending: data ?? [],
      calls: new Set(requests.map(({ requestId }) => requestId)),
      summaries: textsOf(requests.map((entry) => [entry.target.id, afterOf(entry)['summary']])),
      approvers: textsOf(
        doneUnder(all, 'approval.approve').flatMap((entry) => [
          [afterOf(entry)['run'], entry.actor.name],
          [afterOf(entry)['bulk'], entry.actor.name],
        ]),
      ),
      bulks: textsOf(
        doneUnder(all, 'bulk.create', 'bulk.undo').map((entry) => [entry.requestId, afterOf(entry)['bulk']]),
      ),
    };
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

/** Returns what a person was asked for, or decided about, in a sentence or a summary; null: the entry is about no request, or about one that is not known. */
export const askedText = (entry: AuditEntry, requests: Requests): string | null => {
  const { id, type } = entry.target;
  if (type !== 'approval' || id === null) return null;
  return requests.pending.find((request) => request.id === id)?.sentence ?? requests.summaries.get(id) ?? null;
};

/** Returns the name of the person who approved what was done; null: nobody had to, or it is not known. */
export const approverOf = (entry: AuditEntry, { approvers }: Requests): string | null => {
  const { approvedBy } = afterOf(entry);
  if (isObject(approvedBy) && typeof approvedBy['name'] === 'string') return approvedBy['name'];
  const { id, type } = entry.target;
  return id !== null && type === 'run' ? (approvers.get(id) ?? null) : null;
};

/** Returns the id of the bulk that an entry is of; null: of none, or of one that is not known. */
export const bulkOf = ({ target, requestId }: AuditEntry, { bulks }: Requests): string | null =>
  requestId !== null && (target.type === 'item' || target.type === 'run') ? (bulks.get(requestId) ?? null) : null;
