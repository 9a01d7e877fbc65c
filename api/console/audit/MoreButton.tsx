/** The button that shows and hides the values of an audit entry. Used by AuditRow and the ledger of agents. */
import { Button } from '../ui/Button.tsx';
import { auditTexts } from './texts.tsx';

interface MoreButtonProps {
  readonly verb: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

export const MoreButton = ({ verb, isOpen, onToggle }: MoreButtonProps) => (
  <Button
    tone="bare"
    aria-label={isOpen ? auditTexts.lessAbout(verb) : auditTexts.moreAbout(verb)}
    aria-expanded={isOpen}
    onClick={onToggle}
  >
    {isOpen ? auditTexts.less : auditTexts.more}
  </Button>
);
