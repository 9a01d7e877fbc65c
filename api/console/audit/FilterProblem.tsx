/** The error of a filter whose text is no known name, with the names to choose from. Used by AuditFilters. */
import { Button } from '../ui/Button.tsx';
import { filterTexts } from './filterTexts.ts';

export interface Unknown {
  readonly field: 'actor' | 'verb';
  readonly typed: string;
  /** Whether several names fit, so that the filter does not say which. */
  readonly isSeveral: boolean;
  readonly offered: readonly string[];
}

interface FilterProblemProps {
  readonly unknown: Unknown;
  /** Takes one of the names that are offered. */
  readonly onTake: (field: Unknown['field'], name: string) => void;
}

export const FilterProblem = ({ unknown: { field, typed, isSeveral, offered }, onTake }: FilterProblemProps) => {
  const { none, several, nearest } = filterTexts.unknown[field];
  return (
    <div className="problem" role="alert">
      {isSeveral ? several(typed) : none(typed)} {!isSeveral && offered.length > 0 && nearest}{' '}
      {offered.map((name) => (
        <Button key={name} onClick={() => onTake(field, name)}>
          {name}
        </Button>
      ))}
    </div>
  );
};
