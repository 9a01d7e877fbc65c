/** The button that shows and hides the values of an audit entry. Used by AuditRow and the ledger of agents. */
import { Button } from '../ui/Button.tsx';

interface MoreButtonProps {
  readonly verb: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

export const MoreButton = ({ verb, isOpen, onToggle }: MoreButtonProps) => (
  <Button tone="bare" aria-expanded={isOpen} onClick={onToggle}>
    {isOpen ? 'Less' : 'More'}
    <span className="hidden"> about {verb}</span>
  </Button>
);
