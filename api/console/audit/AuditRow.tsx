/** One entry of the audit log, which opens into what it changed. Used by AuditPage. */
import { useState } from 'react';
import { legible } from '../content/values.ts';
import type { AuditSearch } from '../shell/address.ts';
import { Button } from '../ui/Button.tsx';
import { dateAndClock } from '../ui/time.ts';
import { Ago } from '../ui/Time.tsx';
import type { AuditEntry } from '../wire/types.ts';
import {
  ActionName,
  AuditChange,
  DetailsButton,
  EntryApprover,
  EntryBulk,
  TargetLink,
  TargetName,
  verbWords,
} from './entryParts.tsx';
import { askedText, outcomeOf, type Requests } from './outcome.ts';
import { auditTexts } from './texts.tsx';

interface AuditRowProps {
  readonly entry: AuditEntry;
  readonly requests: Requests;
  readonly search: AuditSearch;
  readonly onSearch: (search: AuditSearch) => void;
}

export const AuditRow = ({ entry, requests, search, onSearch }: AuditRowProps) => {
  const [isOpen, setOpen] = useState(false);
  const { actor, target, verb } = entry;
  const [words, tone] = outcomeOf(entry, requests);
  const asked = askedText(entry, requests);
  const narrow = (part: AuditSearch): void => onSearch({ ...search, ...part });
  return (
    <>
      <tr>
        <td className="soft">
          <span className="exact">{dateAndClock(entry.at)}</span> <Ago at={entry.at} />
        </td>
        <td dir="auto">
          {actor.id === null ? (
            actor.name
          ) : (
            <Button tone="bare" title={auditTexts.onlyOf(actor.name)} onClick={() => narrow({ actor: actor.id ?? '' })}>
              {actor.name}
            </Button>
          )}
          <span className="soft"> {actor.role ?? actor.type}</span>
        </td>
        <td>
          <Button tone="bare" title={auditTexts.onlyVerb(verb)} onClick={() => narrow({ verb })}>
            {verbWords(verb)}
          </Button>{' '}
          <ActionName entry={entry} /> {asked !== null && <span dir="auto">{legible(asked)}</span>}{' '}
          <EntryBulk entry={entry} requests={requests} />
        </td>
        <td dir="auto">
          <TargetLink target={target} />{' '}
          {target.id !== null && (
            <Button
              tone="bare"
              title={auditTexts.onlyTo(target.id)}
              onClick={() => narrow({ target: target.id ?? '' })}
            >
              <TargetName target={target} />
            </Button>
          )}
        </td>
        <td className={tone}>
          {words}
          {entry.count > 1 && ` ${auditTexts.times(entry.count)}`} <EntryApprover entry={entry} requests={requests} />
        </td>
        <td dir="auto">{legible(entry.reason ?? '')}</td>
        <td>
          <DetailsButton verb={verb} isOpen={isOpen} onToggle={() => setOpen(!isOpen)} />
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={7}>
            <AuditChange entry={entry} />
          </td>
        </tr>
      )}
    </>
  );
};
