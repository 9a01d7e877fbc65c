/** The list of the approvals page in its address: the requests that ended in one way in place of those that wait. Used by the router and the page. */

const endedStatuses = ['approved', 'rejected', 'expired', 'cancelled', 'stale'] as const;

export type EndedStatus = (typeof endedStatuses)[number];

export interface ApprovalsSearch {
  /** Left out: those that wait. */
  readonly status?: EndedStatus;
}

/** Returns the search of an address without what it does not know. */
export const readApprovalsSearch = (raw: Readonly<Record<string, unknown>>): ApprovalsSearch => {
  const status = endedStatuses.find((each) => each === raw['status']);
  return status === undefined ? {} : { status };
};
