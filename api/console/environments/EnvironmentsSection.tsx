/** Environments in the settings: what each demands of people and how far it trusts its app. Used by SettingsPage. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Problem, Skeleton } from '../ui/Problem.tsx';
import { Ago } from '../ui/Time.tsx';
import { keys } from '../wire/queries.ts';
import { environmentsQuery, settingsKeys } from '../wire/settingsQueries.ts';
import type { Environment } from '../wire/types.ts';
import { NewEnvironment } from './NewEnvironment.tsx';
import { switches } from './switches.ts';

interface SwitchesProps {
  readonly environment: Environment;
  readonly onChange: (name: keyof Environment, isOn: boolean, words: string) => void;
}

const Switches = ({ environment, onChange }: SwitchesProps) => (
  <fieldset>
    <legend className="hidden">{environment.name}</legend>
    {switches.map(({ name, label, about }) => (
      <label className="choice" key={name}>
        <input
          type="checkbox"
          checked={environment[name]}
          onChange={({ target }) => onChange(name, target.checked, label)}
        />
        <span>
          {label} <span className="soft">{about}</span>
        </span>
      </label>
    ))}
  </fieldset>
);

export const EnvironmentsSection = () => {
  const { http, environment: here, notices } = useSession();
  const { data: environments, error, refetch } = useQuery(environmentsQuery(http));
  const { call, change, dialog } = useSettingsChange(settingsKeys.environments, keys.me);
  const [isMaking, setMaking] = useState(false);
  if (error !== null && environments === undefined)
    return <Problem isPage error={error} onRetry={() => void refetch()} />;
  return (
    <div className="column home">
      <header className="column-head">
        <div>
          <h1>Environments</h1>
          <p className="soft">Each has its own items, records, declarations and keys; they share roles and people.</p>
        </div>
        <Button tone="main" onClick={() => setMaking(true)}>
          New environment
        </Button>
      </header>
      {environments === undefined && <Skeleton rows={3} />}
      {environments?.map((environment) => (
        <section className="waiting" key={environment.name} aria-label={environment.name}>
          <h2>
            {environment.name} {environment.name === here && <span className="soft">this one</span>}
          </h2>
          <p className="soft">
            <span className="mono">{environment.baseUrl}</span> ·{' '}
            {environment.definedAt === null ? (
              'no app has declared anything yet'
            ) : (
              <>
                declared <Ago isInSentence at={environment.definedAt} />
              </>
            )}
          </p>
          <Switches
            environment={environment}
            onChange={(name, isOn, words) =>
              void change(
                {
                  method: 'PATCH',
                  path: `/settings/environments/${encodeURIComponent(environment.name)}`,
                  body: { [name]: isOn },
                },
                `${environment.name}, ${words.toLowerCase()}: ${isOn ? 'on' : 'off'} now.`,
              )
            }
          />
        </section>
      ))}
      {isMaking && (
        <NewEnvironment
          onSubmit={async (body) => {
            const { environment } = await call<{ environment: Environment }>({
              method: 'POST',
              path: '/settings/environments',
              body,
            });
            setMaking(false);
            notices.show({
              tone: 'done',
              text: `${environment.name} is there. Make an app key in it to connect its app.`,
            });
          }}
          onClose={() => setMaking(false)}
        />
      )}
      {dialog}
    </div>
  );
};
