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
import { Switches, switches } from './Switches.tsx';
import { environmentTexts } from './texts.tsx';

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
          <h1>{environmentTexts.title}</h1>
          <p className="soft">{environmentTexts.about}</p>
        </div>
        <Button tone="main" onClick={() => setMaking(true)}>
          {environmentTexts.make}
        </Button>
      </header>
      {environments === undefined && <Skeleton rows={3} />}
      {environments?.map((environment) => (
        <section className="waiting" key={environment.name} aria-label={environment.name}>
          <h2>
            {environment.name} {environment.name === here && <span className="soft">{environmentTexts.thisOne}</span>}
          </h2>
          <p className="soft">
            <span className="mono">{environment.baseUrl}</span> ·{' '}
            {environment.definedAt === null
              ? environmentTexts.notDeclared
              : environmentTexts.declared(<Ago isInSentence at={environment.definedAt} />)}
          </p>
          <Switches
            legend={environment.name}
            names={switches}
            isOn={(name) => environment[name]}
            onChange={(name, isOn) =>
              void change(
                {
                  method: 'PATCH',
                  path: `/settings/environments/${encodeURIComponent(environment.name)}`,
                  body: { [name]: isOn },
                },
                (isOn ? environmentTexts.isOn : environmentTexts.isOff)(
                  environment.name,
                  environmentTexts.switches[name].label,
                ),
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
            notices.show({ tone: 'done', text: environmentTexts.isMade(environment.name) });
          }}
          onClose={() => setMaking(false)}
        />
      )}
      {dialog}
    </div>
  );
};
