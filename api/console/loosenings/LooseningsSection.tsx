/** Loosenings in the settings: what the app declares less strict, for a person to accept or refuse. Used by SettingsPage. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { useKeys } from '../shell/keyboard.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Problem, Skeleton } from '../ui/Problem.tsx';
import { ShowEarlier } from '../ui/ShowEarlier.tsx';
import { count } from '../ui/time.ts';
import { Ago } from '../ui/Time.tsx';
import { looseningsQuery, settingsKeys, waitingLooseningsQuery } from '../wire/settingsQueries.ts';
import type { Loosening } from '../wire/types.ts';
import { looseningTexts } from './texts.tsx';
import { looseningWords } from './words.ts';

type Decide = (loosening: Loosening, verb: 'accept' | 'refuse') => void;

const Words = ({ loosening }: { readonly loosening: Loosening }) => {
  const { what, from, to } = looseningWords(loosening);
  return (
    <>
      <strong dir="auto">{what}</strong>
      <p dir="auto">
        {from} <span aria-label={looseningTexts.becomes}>→</span> {to}
      </p>
    </>
  );
};

/** Returns the words of the two decisions. */
const deedsOf = ({ on: { member } }: Loosening) =>
  member === 'new'
    ? { accept: looseningTexts.acceptNew, refuse: looseningTexts.refuseNew }
    : { accept: looseningTexts.accept, refuse: looseningTexts.refuse };

interface WaitingProps {
  readonly loosening: Loosening;
  readonly isCurrent: boolean;
  readonly onDecide: Decide;
  readonly onFocus: () => void;
}

const Waiting = ({ loosening, isCurrent, onDecide, onFocus }: WaitingProps) => {
  const deeds = deedsOf(loosening);
  const key = (name: string) => (isCurrent ? { shortcut: name } : {});
  return (
    <li aria-current={isCurrent} onFocus={onFocus}>
      <div>
        <Words loosening={loosening} />
        <p className="soft">{looseningTexts.declared(<Ago isInSentence at={loosening.since} />)}</p>
      </div>
      <div className="deeds">
        <Button onClick={() => onDecide(loosening, 'accept')} {...key('a')}>
          {deeds.accept}
        </Button>
        <Button onClick={() => onDecide(loosening, 'refuse')} {...key('r')}>
          {deeds.refuse}
        </Button>
      </div>
    </li>
  );
};

/** Returns how a loosening was decided, and by whom. */
const decisionText = ({ status, decidedBy }: Loosening): string => {
  if (decidedBy !== null && status === 'accepted') return looseningTexts.acceptedBy(decidedBy.name);
  if (decidedBy !== null && status === 'refused') return looseningTexts.refusedBy(decidedBy.name);
  return looseningTexts.status[status];
};

const Decided = () => {
  const { http } = useSession();
  const list = useInfiniteQuery(looseningsQuery(http));
  const { data, error, refetch } = list;
  const rest = data?.pages.flatMap(({ loosenings }) => loosenings).filter(({ status }) => status !== 'waiting');
  return (
    <section className="waiting" aria-label={looseningTexts.decided}>
      <h2>{looseningTexts.decided}</h2>
      {error !== null && rest === undefined && <Problem error={error} onRetry={() => void refetch()} />}
      {rest?.length === 0 && <p className="soft">{looseningTexts.noneDecided}</p>}
      <ul className="loosenings">
        {rest?.map((loosening) => (
          <li key={loosening.id}>
            <div>
              <Words loosening={loosening} />
              <p className="soft">
                {decisionText(loosening)} · {looseningTexts.declaredAt(<Ago isInSentence at={loosening.since} />)}
              </p>
            </div>
          </li>
        ))}
      </ul>
      <ShowEarlier what="ones" list={list} />
    </section>
  );
};

export const LooseningsSection = () => {
  const { http } = useSession();
  const { data: waiting, error, refetch } = useQuery(waitingLooseningsQuery(http));
  const { change, dialog } = useSettingsChange(settingsKeys.loosenings);
  const [currentId, setCurrent] = useState<string | null>(null);
  const at = Math.max(0, waiting?.findIndex(({ id }) => id === currentId) ?? 0);
  const current = waiting?.[at];
  const step = (by: 1 | -1): void =>
    setCurrent(waiting?.[Math.min(waiting.length - 1, Math.max(0, at + by))]?.id ?? null);
  const decide: Decide = (loosening, verb) => {
    const { what } = looseningWords(loosening);
    void change(
      { method: 'POST', path: `/settings/loosenings/${loosening.id}/${verb}` },
      verb === 'accept' ? looseningTexts.isAccepted(what) : looseningTexts.isRefused(what),
    );
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    a: () => current !== undefined && decide(current, 'accept'),
    r: () => current !== undefined && decide(current, 'refuse'),
  });
  if (error !== null && waiting === undefined) return <Problem isPage error={error} onRetry={() => void refetch()} />;
  return (
    <div className="column home">
      <header>
        <h1>{looseningTexts.title}</h1>
        <p className="soft">{looseningTexts.about}</p>
      </header>
      <section className="waiting" aria-label={looseningTexts.waiting}>
        <h2>
          {looseningTexts.waiting} <span className="soft">{waiting === undefined ? '' : count(waiting.length)}</span>
        </h2>
        {waiting === undefined && <Skeleton rows={2} />}
        {waiting?.length === 0 && <p className="soft">{looseningTexts.noneWaits}</p>}
        <ul className="loosenings">
          {waiting?.map((loosening) => (
            <Waiting
              key={loosening.id}
              loosening={loosening}
              isCurrent={loosening === current}
              onDecide={decide}
              onFocus={() => setCurrent(loosening.id)}
            />
          ))}
        </ul>
      </section>
      <Decided />
      {dialog}
    </div>
  );
};
