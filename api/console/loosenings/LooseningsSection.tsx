/** Loosenings in the settings: what the app declares less strict, for a person to accept or refuse, by button or key. Used by SettingsPage. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState, useEffect } from 'react';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { useKeys, neighbour } from '../shell/keyboard.ts';
import { useSession, useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Ago } from '../ui/marks.tsx';
import { Section } from '../ui/PageParts.tsx';
import { count } from '../ui/plural.ts';
import { Problem, Skeleton } from '../ui/Problem.tsx';
import { ShowEarlier, Row, Rows } from '../ui/Rows.tsx';
import { looseningsQuery, settingsKeys, waitingLooseningsQuery } from '../wire/settingsQueries.ts';
import type { Loosening } from '../wire/types.ts';
import { looseningTexts } from './texts.tsx';
import { looseningWords } from './words.ts';

/** Milliseconds for which the list stands unchanged before anything of it is decided: the second half of a double tap or a double click is not meant for what stands in the place of a decided line. */
const settleMs = 600;

interface Target {
  /** What the keys decide; null: nothing is chosen, or what was chosen waits no longer. */
  readonly current: Loosening | null;
  readonly isSettled: boolean;
  choose(id: string): void;
  /** Chooses the one above (-1) or below (1); the first one where nothing is chosen. */
  step(by: 1 | -1): void;
  /** Chooses the one below a decided one, or above it where it is the last. */
  moveOn(decided: string): void;
}

/** Which of the waiting loosenings the keys decide, and from when on any of them can be decided. */
const useTarget = (waiting: readonly Loosening[] | undefined): Target => {
  const [isOpened, setOpened] = useState(false);
  const [chosen, choose] = useState<string | null>(null);
  const [decided, setDecided] = useState<string | null>(null);
  const [settled, setSettled] = useState('');
  // Once only: what arrives later is nobody's target until somebody chooses it.
  if (!isOpened && waiting !== undefined) {
    setOpened(true);
    choose(waiting[0]?.id ?? null);
  }
  const list = waiting ?? [];
  const at = list.findIndex(({ id }) => id === chosen);
  const state = JSON.stringify([decided, list.map(({ id }) => id)]);
  useEffect(() => {
    const timer = window.setTimeout(setSettled, settleMs, state);
    return () => window.clearTimeout(timer);
  }, [state]);
  return {
    current: list[at] ?? null,
    isSettled: settled === state,
    choose,
    step: (by) => choose(neighbour(list, at, by)?.id ?? null),
    moveOn: (id) => {
      const place = list.findIndex((each) => each.id === id);
      setDecided(id);
      choose((list[place + 1] ?? list[place - 1])?.id ?? null);
    },
  };
};

type Verb = 'accept' | 'refuse';
type Decide = (loosening: Loosening, verb: Verb) => Promise<void>;

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
  /** Whether it can be decided now. */
  readonly isReady: boolean;
  readonly onDecide: Decide;
  readonly onFocus: () => void;
}

const Waiting = ({ loosening, isCurrent, isReady, onDecide, onFocus }: WaitingProps) => {
  const deeds = deedsOf(loosening);
  const key = (name: string) => (isCurrent ? { shortcut: name } : {});
  return (
    <Row
      aria-current={isCurrent}
      onFocus={onFocus}
      onKeyDown={(event) => {
        // A button is pressed again and again by a key that is held down.
        if (event.repeat && event.key === 'Enter') event.preventDefault();
      }}
    >
      <div>
        <Words loosening={loosening} />
        <p className="soft">{looseningTexts.declared(<Ago isInSentence at={loosening.since} />)}</p>
      </div>
      <div className="deeds">
        <Button aria-disabled={!isReady} onClick={() => void onDecide(loosening, 'accept')} {...key('a')}>
          {deeds.accept}
        </Button>
        <Button aria-disabled={!isReady} onClick={() => void onDecide(loosening, 'refuse')} {...key('r')}>
          {deeds.refuse}
        </Button>
      </div>
    </Row>
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
    <Section className="waiting" title={looseningTexts.decided}>
      {error !== null && rest === undefined && <Problem error={error} onRetry={() => void refetch()} />}
      {rest?.length === 0 && <p className="soft">{looseningTexts.noneDecided}</p>}
      <Rows className="loosenings" hasMore={list.hasNextPage}>
        {rest?.map((loosening) => (
          <Row key={loosening.id}>
            <div>
              <Words loosening={loosening} />
              <p className="soft">
                {decisionText(loosening)} · {looseningTexts.declaredAt(<Ago isInSentence at={loosening.since} />)}
              </p>
            </div>
          </Row>
        ))}
      </Rows>
      <ShowEarlier what="ones" list={list} />
    </Section>
  );
};

export const LooseningsSection = () => {
  const { data: waiting, error, refetch } = useRead(waitingLooseningsQuery);
  const { change, dialog } = useSettingsChange(settingsKeys.loosenings);
  const [isBusy, setBusy] = useState(false);
  const { current, isSettled, choose, step, moveOn } = useTarget(waiting);
  const isReady = !isBusy && isSettled;
  const decide: Decide = async (loosening, verb) => {
    if (!isReady) return;
    const { what } = looseningWords(loosening);
    setBusy(true);
    const isDecided = await change(
      { method: 'POST', path: `/settings/loosenings/${loosening.id}/${verb}` },
      verb === 'accept' ? looseningTexts.isAccepted(what) : looseningTexts.isRefused(what),
    );
    if (isDecided) moveOn(loosening.id);
    setBusy(false);
  };
  /** A letter decides one: a key that is held down repeats it, and decides nothing more. */
  const byLetter =
    (verb: Verb) =>
    ({ repeat }: KeyboardEvent): void => {
      if (!repeat && current !== null) void decide(current, verb);
    };
  useKeys({ j: () => step(1), k: () => step(-1), a: byLetter('accept'), r: byLetter('refuse') });
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
        <Rows className="loosenings">
          {waiting?.map((loosening) => (
            <Waiting
              key={loosening.id}
              loosening={loosening}
              isCurrent={loosening === current}
              isReady={isReady}
              onDecide={decide}
              onFocus={() => choose(loosening.id)}
            />
          ))}
        </Rows>
      </section>
      <Decided />
      {dialog}
    </div>
  );
};
