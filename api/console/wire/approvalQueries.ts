/** Queries of requests that wait for a decision or have ended. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Http } from './http.ts';
import { keys, type Total } from './queries.ts';
import { memberOf, pagesOf, wholeOf, read, type PageOf, type Reading } from './reading.ts';
import type { Approval, ApprovalStatus } from './types.ts';

/** All requests of a status, and questions, page by page: each list is newest first, and those that wait longest are the last. */
export const approvalsQuery = (http: Http, status: ApprovalStatus) =>
  queryOptions({
    queryKey: [...keys.approvals, status],
    queryFn: async (reading: Reading) => {
      const lists = [{ status }, { status, kind: 'question' }].map((query) =>
        wholeOf<Approval>(http, '/approvals', 'approvals', query).queryFn(reading),
      );
      return (await Promise.all(lists)).flat();
    },
    staleTime: 10_000,
  });

/** Requests of a status, the newest first, page by page. */
export const endedApprovalsQuery = (http: Http, status: ApprovalStatus) =>
  infiniteQueryOptions({
    queryKey: [...keys.approvals, 'ended', status],
    ...pagesOf<PageOf<'approvals', Approval>>(http, '/approvals', {
      status,
      limit: 50,
      ...(status === 'answered' ? { kind: 'question' } : {}),
    }),
    staleTime: 10_000,
  });

/** How many requests of a principal are counted of each kind. */
const countedMost = 100;

/** How many requests of a principal that the person sees ended so, or wait; no more than 100 of a status are counted. */
export const requestRecordQuery = (http: Http, requestedBy: string) =>
  queryOptions({
    queryKey: [...keys.approvals, 'of', requestedBy],
    queryFn: async ({ signal }) => {
      const total = async (status: ApprovalStatus): Promise<Total> => {
        const query = { status, requestedBy, fields: 'id', limit: countedMost };
        const { approvals, cursor } = await read<PageOf<'approvals', unknown>>(http, '/approvals', query, signal);
        return { count: approvals.length, isMinimum: cursor !== null };
      };
      const [approved, rejected, pending, ...undecided] = await Promise.all([
        total('approved'),
        total('rejected'),
        total('pending'),
        ...(['expired', 'cancelled', 'stale'] as const).map(total),
      ]);
      return {
        approved,
        rejected,
        undecided: {
          count: undecided.reduce((sum, { count }) => sum + count, 0),
          isMinimum: undecided.some(({ isMinimum }) => isMinimum),
        },
        pending,
      };
    },
    staleTime: 10_000,
  });

/** How many requests of an agent are shown that wait, and of each other status. */
const [waitingMost, requestsMost] = [200, 5];

/** The requests of a principal that wait, and the newest that have ended, whoever ended them. */
export const requestsOfQuery = (http: Http, requestedBy: string) =>
  queryOptions({
    queryKey: [...keys.approvals, 'by', requestedBy],
    queryFn: async ({ signal }) => {
      const lists = await Promise.all(
        (['pending', 'approved', 'rejected', 'stale', 'expired'] as const).map(async (status) => {
          const query = { status, requestedBy, limit: status === 'pending' ? waitingMost : requestsMost };
          return (await read<PageOf<'approvals', Approval>>(http, '/approvals', query, signal)).approvals;
        }),
      );
      return lists.flat();
    },
    staleTime: 10_000,
  });

export const approvalQuery = (http: Http, id: string) =>
  queryOptions({
    queryKey: keys.approval(id),
    ...memberOf<Approval>(http, `/approvals/${encodeURIComponent(id)}`, 'approval'),
    staleTime: 10_000,
  });
