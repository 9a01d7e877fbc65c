/** One act of an agent: when, what, to what, with which outcome and why. Used by Ledger. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { differences } from '../approvals/difference.ts';
import { shown } from '../approvals/shown.ts';
import { AuditChange } from '../audit/AuditChange.tsx';
import { MoreButton } from '../audit/MoreButton.tsx';
import { outcomeOf, requestOf, type Requests } from '../audit/outcome.ts';
import { auditTexts } from '../audit/texts.tsx';
import { SettingsLink } from '../settings/SettingsLink.tsx';
import { useSession } from '../shell/session.ts';
import { inRow } from '../ui/plural.ts';
import { Ago } from '../ui/Time.tsx';
import type { AuditEntry } from '../wire/types.ts';
import { ledgerTexts } from './ledgerTexts.ts';

/** The target of an entry, as a link where it has a page. Used by Reads too. */
export const Target = ({ target: { type, id } }: Pick<AuditEntry, 'target'>) => {
  const { environment } = useSession();
  if (id === null) return type;
  const link = { className: 'mono', children: id };
  switch (type) {
    case 'item':
      return (
        <Link to="/env/$environment/items" params={{ environment }} search={{ show: 'all', item: id }} {...link} />
      );
    case 'approval':
      return <Link to="/env/$environment/approvals/$id" params={{ environment, id }} {...link} />;
    case 'run':
      return <Link to="/env/$environment/runs" params={{ environment }} search={{ run: id }} {...link} />;
    case 'bulk':
      return <Link to="/env/$environment/bulks/$id" params={{ environment, id }} {...link} />;
    case 'flag':
      return <Link to="/env/$environment/flags/$flag" params={{ environment, flag: id }} {...link} />;
    case null:
    default:
      return (
        <>
          {type} <span className="mono">{id}</span>
        </>
      );
  }
};

/** Members of a change that a line names. */
const namedMost = 2;

const textOf = (value: unknown): string =>
  (Array.isArray(value) ? value.map(shown).join(' ') : value == null ? '' : shown(value)) || ledgerTexts.noValue;

/** Returns a summary of an entry's change. */
const changeText = ({ before, after }: AuditEntry): string =>
  inRow(
    differences(before, before ?? {}, after ?? {})
      .filter(({ now, after: next }) => now != null || next != null)
      .slice(0, namedMost)
      .map(({ name, now, after: next }) =>
        now === undefined ? `${name} ${textOf(next)}` : `${name} ${textOf(now)} → ${textOf(next)}`,
      ),
  );

interface LedgerLineProps {
  readonly entry: AuditEntry;
  /** Whether it names the agent. */
  readonly isOfMany: boolean;
  readonly requests: Requests;
}

export const LedgerLine = ({ entry, isOfMany, requests }: LedgerLineProps) => {
  const [isOpen, setOpen] = useState(false);
  const [words, tone] = outcomeOf(entry, requests);
  const text = requestOf(entry, requests)?.sentence ?? changeText(entry);
  return (
    <>
      <tr className={tone === 'soft' ? '' : 'marked'}>
        <td className="soft">
          <Ago at={entry.at} />
        </td>
        {isOfMany && (
          <td>
            <SettingsLink section="agents" id={entry.actor.id ?? ''}>
              {entry.actor.name}
            </SettingsLink>
          </td>
        )}
        <td dir="auto">
          <span className="mono">{entry.verb}</span> {text}
        </td>
        <td dir="auto">
          <Target target={entry.target} />
        </td>
        <td className={tone}>
          {words}
          {entry.count > 1 && ` ${auditTexts.times(entry.count)}`}
        </td>
        <td dir="auto">{entry.reason}</td>
        <td>
          <MoreButton verb={entry.verb} isOpen={isOpen} onToggle={() => setOpen(!isOpen)} />
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={isOfMany ? 7 : 6}>
            <AuditChange entry={entry} />
          </td>
        </tr>
      )}
    </>
  );
};
