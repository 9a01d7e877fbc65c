/** Environments in the settings: what each demands of people and how far it trusts its app. Used by SettingsPage. */
import { useState } from 'react';
import { ResourceForm } from '../settings/ResourceForm.tsx';
import type { FormTexts } from '../settings/resourceRow.ts';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { useSession, useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Tick } from '../ui/fields.tsx';
import { Ago } from '../ui/marks.tsx';
import { ColumnHead } from '../ui/PageParts.tsx';
import { Problem, Skeleton } from '../ui/Problem.tsx';
import { keys } from '../wire/queries.ts';
import { environmentsQuery, settingsKeys } from '../wire/settingsQueries.ts';
import type { Environment } from '../wire/types.ts';
import { environmentTexts } from './texts.tsx';

/** In the order in which they stand. */
const switches = ['independentApproval', 'acceptNew', 'trustApp'] as const;
type Switch = (typeof switches)[number];

interface SwitchesProps {
  /** What the group is called, for those who don't see it. */
  readonly legend: string;
  readonly isOn: (name: Switch) => boolean;
  readonly onChange: (name: Switch, isOn: boolean) => void;
}

const Switches = ({ legend, isOn, onChange }: SwitchesProps) => (
  <fieldset>
    <legend className="hidden">{legend}</legend>
    {switches.map((name) => (
      <Tick
        key={name}
        {...environmentTexts.switches[name]}
        isOn={isOn(name)}
        onTick={(isTicked) => onChange(name, isTicked)}
      />
    ))}
  </fieldset>
);

/** Independent approval begins by itself once there are people. */
const atOnce = ['acceptNew', 'trustApp'] as const;
const newEnvironment: FormTexts = {
  ...environmentTexts.form,
  fields: [
    ...environmentTexts.form.fields,
    ...atOnce.map((name) => ({
      name,
      as: 'switch' as const,
      ...environmentTexts.switches[name],
      initial: name === 'acceptNew' ? 'on' : '',
    })),
  ],
};

export const EnvironmentsSection = () => {
  const { environment: here, notices } = useSession();
  const { data: environments, error, refetch } = useRead(environmentsQuery);
  const { call, change, dialog } = useSettingsChange(settingsKeys.environments, keys.me);
  const [isMaking, setMaking] = useState(false);
  if (error !== null && environments === undefined)
    return <Problem isPage error={error} onRetry={() => void refetch()} />;
  return (
    <div className="column home">
      <ColumnHead title={environmentTexts.title} about={environmentTexts.about}>
        <Button tone="main" onClick={() => setMaking(true)}>
          {environmentTexts.form.make}
        </Button>
      </ColumnHead>
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
        <ResourceForm
          draft="environment"
          texts={newEnvironment}
          thing={null}
          onSubmit={async (body) => {
            const { environment } = await call<{ environment: Environment }>({
              method: 'POST',
              path: '/settings/environments',
              body,
            });
            setMaking(false);
            notices.done(environmentTexts.isMade(environment.name));
          }}
          onClose={() => setMaking(false)}
        />
      )}
      {dialog}
    </div>
  );
};
