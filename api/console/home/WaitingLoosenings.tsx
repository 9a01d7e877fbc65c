/** Home's list of undecided loosenings, for roles with `settings: manage`. Used by HomePage. */
import { useQuery } from '@tanstack/react-query';
import { looseningWords } from '../loosenings/words.ts';
import { SettingsLink } from '../settings/SettingsLink.tsx';
import { useSession } from '../shell/session.ts';
import { Ago } from '../ui/Time.tsx';
import { waitingLooseningsQuery } from '../wire/settingsQueries.ts';
import { Section, shownMost } from './Section.tsx';
import { homeTexts } from './texts.tsx';

export const WaitingLoosenings = () => {
  const { http } = useSession();
  const { data = [] } = useQuery(waitingLooseningsQuery(http));
  if (data.length === 0) return null;
  return (
    <Section title={homeTexts.loosenings} none="" total={data.length} error={null}>
      {data.slice(0, shownMost).map((loosening) => {
        const { what, to } = looseningWords(loosening);
        return (
          <li key={loosening.id}>
            <SettingsLink section="loosenings">{homeTexts.loosening(what, to)}</SettingsLink>
            <Ago at={loosening.since} />
          </li>
        );
      })}
    </Section>
  );
};
