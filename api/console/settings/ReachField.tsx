/** The environments of an agent or a person, as a part of a form. Used by the settings. */
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../shell/session.ts';
import { inRow } from '../ui/plural.ts';
import { meQuery } from '../wire/queries.ts';
import { settingsTexts } from './texts.ts';

interface ReachFieldProps {
  /** Names, or `*` alone for all. */
  readonly reach: readonly string[];
  readonly onReach: (reach: readonly string[]) => void;
}

/** Returns the environments in words. */
export const reachText = (reach: readonly string[]): string =>
  reach.includes('*') ? settingsTexts.allEnvironments : inRow(reach);

export const ReachField = ({ reach, onReach }: ReachFieldProps) => {
  const { http } = useSession();
  const { data: me } = useQuery(meQuery(http));
  const names = reach.filter((name) => name !== '*');
  const known = [...new Set([...(me?.environments ?? []).map(({ name }) => name), ...names])];
  const isAll = reach.includes('*');
  return (
    <fieldset>
      <legend>{settingsTexts.environments}</legend>
      <label className="choice">
        <input
          type="checkbox"
          checked={isAll}
          onChange={({ target }) => onReach(target.checked ? ['*'] : known.slice(0, 1))}
        />
        <span>
          {settingsTexts.all} <span className="soft">{settingsTexts.allAbout}</span>
        </span>
      </label>
      {known.map((name) => (
        <label className="choice" key={name}>
          <input
            type="checkbox"
            disabled={isAll}
            checked={isAll || reach.includes(name)}
            onChange={({ target }) =>
              onReach(target.checked ? [...names, name] : names.filter((each) => each !== name))
            }
          />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  );
};
