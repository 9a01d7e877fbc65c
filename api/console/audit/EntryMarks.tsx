/** What stands beside an entry: who approved it, and the bulk that it is of. Used by AuditRow and the ledger of agents. */
import type { AuditEntry } from '../wire/types.ts';
import { approverOf, bulkOf, type Requests } from './outcome.ts';
import { TargetLink } from './TargetLink.tsx';
import { auditTexts } from './texts.tsx';

interface EntryMarksProps {
  readonly entry: AuditEntry;
  readonly requests: Requests;
}

export const EntryApprover = ({ entry, requests }: EntryMarksProps) => {
  const name = approverOf(entry, requests);
  return (
    name !== null && (
      <span className="soft" dir="auto">
        · {auditTexts.approvedBy(name)}
      </span>
    )
  );
};

export const EntryBulk = ({ entry, requests }: EntryMarksProps) => {
  const id = bulkOf(entry, requests);
  return id !== null && <TargetLink target={{ type: 'bulk', id }}>{auditTexts.ofBulk}</TargetLink>;
};
