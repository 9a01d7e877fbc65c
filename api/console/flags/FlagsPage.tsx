/** The flags of the app: what each is now in words, beside the one that is open. */
import { useQuery } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import { useKeys } from '../shell/keyboard.ts';
import { useSession } from '../shell/session.ts';
import { hasWords, neighbour } from '../ui/choose.ts';
import { ListAndDetail } from '../ui/ListAndDetail.tsx';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import { flagsQuery } from '../wire/flagQueries.ts';
import { FlagDetail } from './FlagDetail.tsx';
import { answerText, goingRamp } from './words.ts';

export interface FlagsPageProps {
  /** The one that is open; null: none. */
  readonly name: string | null;
  readonly onOpen: (name: string | null) => void;
}

export const FlagsPage = ({ name, onOpen }: FlagsPageProps) => {
  const { http } = useSession();
  const { data: flags, error, refetch } = useQuery(flagsQuery(http));
  const [words, setWords] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const shown = (flags ?? []).filter(({ flag, description }) => hasWords(`${flag} ${description ?? ''}`, words));
  const at = shown.findIndex(({ flag }) => flag === name);
  const step = (by: 1 | -1): void => {
    const next = neighbour(shown, at, by);
    if (next !== undefined) onOpen(next.flag);
  };
  useKeys(
    {
      j: () => step(1),
      k: () => step(-1),
      '/': () => input.current?.focus(),
      Escape: () => onOpen(null),
    },
    'list',
  );
  let list: ReactNode;
  if (error !== null && flags === undefined)
    list = <Problem error={error} needs="flag: see" onRetry={() => void refetch()} />;
  else if (flags === undefined) list = <Skeleton rows={6} />;
  else if (shown.length === 0)
    list = (
      <Empty title={flags.length === 0 ? 'No flags yet' : 'No such flag'}>
        {flags.length === 0
          ? 'The app declares its flags in its manifest; they appear here when it connects.'
          : 'No flag’s name or description has these words.'}
      </Empty>
    );
  else
    list = (
      <ul className="requests">
        {shown.map((flag) => (
          <li key={flag.flag}>
            <button
              type="button"
              className="request"
              aria-current={flag.flag === name}
              onClick={() => onOpen(flag.flag)}
            >
              <span className={goingRamp(flag) === null ? '' : 'moving'}>{flag.flag}</span>
              <span className="soft" dir="auto">
                {answerText(flag)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    );
  return (
    <ListAndDetail
      title="Flags"
      total={flags === undefined ? null : shown.length}
      filters={<SearchInput ref={input} words={words} onWords={setWords} label="Search flags" />}
      list={list}
      isOpen={name !== null}
    >
      {name === null ? (
        <Empty title="Nothing is open">Press j for the first flag.</Empty>
      ) : (
        <FlagDetail key={name} name={name} onBack={() => onOpen(null)} />
      )}
    </ListAndDetail>
  );
};
