/** The ledger: changes, requests and refusals of agents, newest first, with a count of entries that came since. Used by AgentPage and ActivityPage. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import {
  ActionName,
  EntryBulk,
  TargetLink,
  TargetName,
  useValueText,
  verbWords,
  EntryRow,
  type EntryMarksProps,
} from '../audit/entryParts.tsx';
import { useRequests, askedText, requestOf } from '../audit/outcome.ts';
import { auditTexts } from '../audit/texts.tsx';
import { useNewEntries, type Listed } from '../audit/useNewEntries.ts';
import { differences } from '../content/difference.ts';
import { toWords } from '../content/values.ts';
import { SettingsLink } from '../settings/SettingsLink.tsx';
import { useKeys } from '../shell/keyboard.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Ago } from '../ui/marks.tsx';
import { ListTable } from '../ui/PageParts.tsx';
import { inRow, inSentence } from '../ui/plural.ts';
import { Empty, Unread } from '../ui/Problem.tsx';
import { ShowEarlier, ShowNew } from '../ui/Rows.tsx';
import { ledgerQuery } from '../wire/settingsQueries.ts';
import type { AuditEntry } from '../wire/types.ts';
import { agentTexts } from './texts.tsx';

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
        : valueText(name, value)) || agentTexts.ledger.noValue;
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
  const refusals: Readonly<Record<string, (did: string, what: string) => string>> = agentTexts.ledger.refusals;
  if (typeof code !== 'string') return null;
  return (
    refusals[code]?.(inSentence(verbWords(verb)), agentTexts.ledger.thing(toWords(target.type ?? '').toLowerCase())) ??
    null
  );
};

interface LedgerLineProps extends EntryMarksProps {
  /** Whether it names the agent. */
  readonly isOfMany: boolean;
}

/** One act of an agent: when, what, to what, with which outcome and why. */
const LedgerLine = ({ entry, isOfMany, requests }: LedgerLineProps) => {
  const valueText = useValueText(entry);
  const text =
    requestOf(entry, requests)?.sentence ??
    askedText(entry, requests) ??
    refusalText(entry) ??
    changeText(entry, valueText);
  return (
    <EntryRow isMarked entry={entry} requests={requests} columns={isOfMany ? 7 : 6}>
      <td className="soft">
        <Ago at={entry.at} />
      </td>
      {isOfMany && (
        <td>
          <SettingsLink section="agents" of={{ id: entry.actor.id ?? '', name: entry.actor.name }} />
        </td>
      )}
      <td dir="auto">
        <span title={entry.verb}>{verbWords(entry.verb)}</span> <ActionName entry={entry} /> {text}{' '}
        <EntryBulk entry={entry} requests={requests} />
      </td>
      <td dir="auto">
        <Target target={entry.target} />
      </td>
    </EntryRow>
  );
};

interface LedgerProps extends Pick<Listed, 'since'> {
  readonly agents: readonly string[];
  /** Whether each line names the agent. */
  readonly isOfMany: boolean;
}

/** Returns the list with its loaded entries, the number of entries that came since, and a function that reads the newest page again. */
const useLedger = ({ agents, isOfMany, since }: LedgerProps) => {
  const { http } = useSession();
  const options = ledgerQuery(http, agents);
  const list = useInfiniteQuery(options);
  const entries = useMemo(() => list.data?.pages.flatMap((page) => page.entries), [list.data]);
  const news = useNewEntries({
    queryKey: options.queryKey,
    entries,
    query: { actor: isOfMany ? undefined : agents[0] },
    since,
    isListed: ({ actor }) => agents.includes(actor.id ?? ''),
  });
  return { ...list, ...news, entries };
};

export const Ledger = (props: LedgerProps) => {
  const { isOfMany } = props;
  const list = useLedger(props);
  const { entries, newCount, readAnew, isFetching } = list;
  const requests = useRequests(entries);
  const [isFollowed, setFollowed] = useState(false);
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isFollowed && !isHeld && newCount > 0 && !isFetching) readAnew();
  });
  useKeys({ l: readAnew, f: () => setFollowed(!isFollowed) });
  if (entries === undefined) return <Unread of={list} rows={6} />;
  return (
    <>
      <div className="ledger-head">
        <h2>{isOfMany ? agentTexts.ledger.ofMany : agentTexts.ledger.ofOne}</h2>
        <span className="soft" role="status">
          <ShowNew newCount={newCount} onShow={readAnew} />
        </span>
        <Button
          aria-pressed={isFollowed}
          title={agentTexts.ledger.followAbout}
          onClick={() => setFollowed(!isFollowed)}
          shortcut="f"
        >
          {isFollowed ? agentTexts.ledger.following : agentTexts.ledger.follow}
        </Button>
      </div>
      {entries.length === 0 ? (
        <Empty title={agentTexts.ledger.none}>
          {isOfMany ? agentTexts.ledger.noneOfMany : agentTexts.ledger.noneOfOne}
        </Empty>
      ) : (
        <ListTable
          label={agentTexts.ledger.acts}
          headings={isOfMany ? agentTexts.ledger.headingsOfMany : agentTexts.ledger.headings}
          deeds={auditTexts.details}
          hasMore={list.hasNextPage}
          isLedger
          onPointerEnter={() => setHeld(true)}
          onPointerLeave={() => setHeld(false)}
        >
          {entries.map((entry) => (
            <LedgerLine key={entry.id} entry={entry} isOfMany={isOfMany} requests={requests} />
          ))}
        </ListTable>
      )}
      <ShowEarlier what="acts" list={list} />
    </>
  );
};
