/** The banner of an environment in which one person alone can decide, so that no decision is independent yet. The frame loads it later. */
import { environmentsQuery } from '../wire/settingsQueries.ts';
import { laterTexts } from './laterTexts.ts';
import { useSession, useRead } from './session.ts';

export const IndependenceBanner = () => {
  const { environment } = useSession();
  const { data } = useRead(environmentsQuery);
  if (data?.find(({ name }) => name === environment)?.awaitsDecider !== true) return null;
  return (
    <p className="banner" role="status">
      {laterTexts.independence.awaitsDecider}
    </p>
  );
};
