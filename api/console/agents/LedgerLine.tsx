/** One act of an agent: when, what, to what, with which outcome and why. Used by Ledger. */
import { useState } from 'react';
import {
  ActionName,
  AuditChange,
  DetailsButton,
  EntryApprover,
  EntryBulk,
  TargetLink,
  TargetName,
  useValueText,
  verbWords,
} from '../audit/entryParts.tsx';
import { askedText, outcomeOf, requestOf, type Requests } from '../audit/outcome.ts';
import { auditTexts } from '../audit/texts.tsx';
import { differences } from '../content/difference.ts';
import { legible } from '../content/values.ts';
import { SettingsLink } from '../settings/SettingsLink.tsx';
import { inRow, inSentence } from '../ui/plural.ts';
import { Ago } from '../ui/Time.tsx';
import { toWords } from '../ui/words.ts';
import type { AuditEntry } from '../wire/types.ts';
import { ledgerTexts } from './ledgerTexts.ts';

/** The target of an entry, as a link where it has a page. Used by Reads too. */
export const Target = ({ target }: Pick<AuditEntry, 'target'>) =>
  target.id === null ? (
    target.type
  ) : (
    <TargetLink target={target}>
      <TargetName target={target} />
    </TargetLink>
  );

/** Members of a change that a line names. */
const namedMost = 2;

/** Returns a summary of an entry's change. */
const changeText = ({ before, after }: AuditEntry, valueText: ReturnType<typeof useValueText>): string => {
  const textOf = (name: string, value: unknown): string =>
    (Array.isArray(value)
      ? value.map((one) => valueText(name, one)).join(' ')
      : value == null
        ? ''
        : valueText(name, value)) || ledgerTexts.noValue;
  return inRow(
    differences(before, before ?? {}, after ?? {})
      // Who approved it stands beside the outcome.
      .filter(({ name, now, after: next }) => !name.startsWith('approvedBy.') && (now != null || next != null))
      .slice(0, namedMost)
      .map(({ name, now, after: next }) => {
        const label = toWords(name);
        return now === undefined
          ? `${label} ${textOf(name, next)}`
          : `${label} ${textOf(name, now)} → ${textOf(name, next)}`;
      }),
  );
};

/** Returns why an act was refused, in a sentence; null: it was not, or for a reason that has none. */
const refusalText = ({ outcome, after, verb, target }: AuditEntry): string | null => {
  const { code, message }: { readonly code?: unknown; readonly message?: unknown } = after ?? {};
  if (outcome === 'ok') return null;
  if (typeof message === 'string') return message;
  const refusals: Readonly<Record<string, (did: string, what: string) => string>> = ledgerTexts.refusals;
  if (typeof code !== 'string') return null;
  return (
    refusals[code]?.(inSentence(verbWords(verb)), ledgerTexts.thing(toWords(target.type ?? '').toLowerCase())) ?? null
  );
};

interface LedgerLineProps {
  readonly entry: AuditEntry;
  /** Whether it names the agent. */
  readonly isOfMany: boolean;
  readonly requests: Requests;
}

export const LedgerLine = ({ entry, isOfMany, requests }: LedgerLineProps) => {
  const [isOpen, setOpen] = useState(false);
  const [words, tone] = outcomeOf(entry, requests);
  const valueText = useValueText(entry);
  const text =
    requestOf(entry, requests)?.sentence ??
    askedText(entry, requests) ??
    refusalText(entry) ??
    changeText(entry, valueText);
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
          <span title={entry.verb}>{verbWords(entry.verb)}</span> <ActionName entry={entry} /> {text}{' '}
          <EntryBulk entry={entry} requests={requests} />
        </td>
        <td dir="auto">
          <Target target={entry.target} />
        </td>
        <td className={tone}>
          {words}
          {entry.count > 1 && ` ${auditTexts.times(entry.count)}`} <EntryApprover entry={entry} requests={requests} />
        </td>
        <td dir="auto">{legible(entry.reason ?? '')}</td>
        <td>
          <DetailsButton verb={entry.verb} isOpen={isOpen} onToggle={() => setOpen(!isOpen)} />
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
