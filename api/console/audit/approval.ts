/** The members of an entry that say who approved it. Used by comparisons of entries. */
import { isObject } from '../content/values.ts';
import type { AuditEntry } from '../wire/types.ts';

/** Returns an entry whose approver is a name, and not the members of a person. */
export const withApproverName = (entry: AuditEntry): AuditEntry => {
  const { approvedBy, ...after }: Readonly<Record<string, unknown>> = { ...entry.after };
  return isObject(approvedBy) ? { ...entry, after: { ...after, approvedBy: approvedBy['name'] } } : entry;
};
