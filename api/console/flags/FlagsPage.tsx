/** The flags of the app: what each is now in words, beside the one that is open. */
import { useQuery } from '@tanstack/react-query';
import { NamedList } from '../lists/NamedList.tsx';
import { useSession } from '../shell/session.ts';
import { flagsQuery } from '../wire/flagQueries.ts';
import type { Flag } from '../wire/types.ts';
import { FlagDetail } from './FlagDetail.tsx';
import { flagTexts } from './texts.tsx';
import { useFlagRequests } from './useFlagRequests.ts';
import { answerText, goingRamp } from './words.ts';

export interface FlagsPageProps {
  /** The one that is open; null: none. */
  readonly name: string | null;
  readonly onOpen: (name: string | null) => void;
}

export const FlagsPage = ({ name, onOpen }: FlagsPageProps) => {
  const { http } = useSession();
  const { data: flags, error, refetch } = useQuery(flagsQuery(http));
  const requestsOf = useFlagRequests();
  const aboutOf = (flag: Flag): string => {
    const waiting = requestsOf(flag.flag).length;
    return waiting === 0 ? answerText(flag) : flagTexts.waiting.inList(answerText(flag), waiting);
  };
  return (
    <NamedList
      title={flagTexts.title}
      noun="flag"
      rows={flags?.map((flag) => ({
        name: flag.flag,
        title: <span className={goingRamp(flag) === null ? '' : 'moving'}>{flag.flag}</span>,
        about: aboutOf(flag),
        text: `${flag.flag} ${flag.description ?? ''}`,
      }))}
      error={error}
      onRetry={() => void refetch()}
      needs="flag: see"
      emptyText={flagTexts.howTheyCome}
      name={name}
      onOpen={onOpen}
    >
      {name !== null && <FlagDetail key={name} name={name} onBack={() => onOpen(null)} />}
    </NamedList>
  );
};
