/** One's own account: name, password, appearance, and where one is signed in. Used by SettingsPage. */
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { useSignInMethods } from '../shell/providerSignIn.ts';
import { useSession } from '../shell/session.ts';
import { useTheme } from '../shell/theme.ts';
import { Button } from '../ui/Button.tsx';
import { deviceZone, preferredZone } from '../ui/timeZone.ts';
import { keys, meQuery } from '../wire/queries.ts';
import type { Me } from '../wire/types.ts';
import { PasswordForm } from './PasswordForm.tsx';
import { Sessions } from './Sessions.tsx';
import { accountTexts } from './texts.ts';

const NameForm = ({ name }: { readonly name: string }) => {
  const [given, setGiven] = useState(name);
  const { change, dialog } = useSettingsChange(keys.me, ['people']);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void change({ method: 'PATCH', path: '/me', body: { name: given.trim() } }, accountTexts.nameChanged(given.trim()));
  };
  return (
    <form className="flag-form" onSubmit={submit}>
      <label>
        {accountTexts.name}
        <input
          required
          maxLength={200}
          autoComplete="name"
          value={given}
          onChange={({ target }) => setGiven(target.value)}
        />
      </label>
      <Button type="submit" disabled={given.trim() === name || given.trim() === ''}>
        {accountTexts.changeName}
      </Button>
      {dialog}
    </form>
  );
};

/** It holds in this browser, and in others until another is chosen there. */
const Appearance = () => {
  const [theme, setTheme] = useTheme();
  const { change } = useSettingsChange(keys.me);
  const choose = (next: keyof typeof accountTexts.themes): void => {
    setTheme(next);
    void change({ method: 'PATCH', path: '/me', body: { preferences: { theme: next } } }, accountTexts.themeKept);
  };
  return (
    <fieldset>
      <legend className="hidden">{accountTexts.appearance}</legend>
      {(['system', 'light', 'dark'] as const).map((each) => (
        <label className="choice" key={each}>
          <input type="radio" name="theme" checked={theme === each} onChange={() => choose(each)} />
          <span>{accountTexts.themes[each]}</span>
        </label>
      ))}
    </fieldset>
  );
};

const zones = Intl.supportedValuesOf('timeZone');

/** The zone holds wherever the person signs in; without one each device has its own. */
const TimeZone = ({ given }: { readonly given: string | null }) => {
  const { change } = useSettingsChange(keys.me);
  const choose = (zone: string): void => {
    void change(
      { method: 'PATCH', path: '/me', body: { preferences: { timeZone: zone || null } } },
      accountTexts.zoneChosen(zone || deviceZone()),
    );
  };
  return (
    <label>
      {accountTexts.timeZone}
      <select value={given ?? ''} onChange={({ target }) => choose(target.value)}>
        <option value="">{accountTexts.zoneOfDevice(deviceZone())}</option>
        {[...new Set(given === null ? zones : [given, ...zones])].map((zone) => (
          <option key={zone}>{zone}</option>
        ))}
      </select>
    </label>
  );
};

const About = ({ me }: { readonly me: Me }) => (
  <p className="soft">
    {accountTexts.about(
      me.role?.name ?? '',
      me.environments.map(({ name }) => name),
    )}
  </p>
);

export const AccountPage = () => {
  const { http, environment } = useSession();
  const { data: me } = useQuery(meQuery(http));
  const { password } = useSignInMethods(environment);
  if (me === undefined) return null;
  return (
    <div className="column home account">
      <header>
        <h1>{accountTexts.title}</h1>
        <About me={me} />
      </header>
      <NameForm name={me.principal.name} />
      <section className="waiting" aria-label={accountTexts.appearance}>
        <h2>{accountTexts.appearance}</h2>
        <Appearance />
      </section>
      <section className="waiting" aria-label={accountTexts.times}>
        <h2>{accountTexts.times}</h2>
        <TimeZone given={preferredZone(me.preferences)} />
      </section>
      {password && (
        <section className="waiting" aria-label={accountTexts.password.title}>
          <h2>{accountTexts.password.title}</h2>
          <PasswordForm />
        </section>
      )}
      <Sessions />
    </div>
  );
};
