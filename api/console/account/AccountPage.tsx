/** One's own account: name, password, appearance, and where one is signed in. Used by SettingsPage. */
import { useState, type FormEvent } from 'react';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { useSignInMethods } from '../shell/providerSignIn.ts';
import { useSession, useRead } from '../shell/session.ts';
import { useTheme } from '../shell/theme.ts';
import { Button } from '../ui/Button.tsx';
import { NewPasswordInput, ProblemText, useSubmit, TextInput, Tick } from '../ui/fields.tsx';
import { Ago } from '../ui/marks.tsx';
import { Section } from '../ui/PageParts.tsx';
import { Problem } from '../ui/Problem.tsx';
import { Row, Rows } from '../ui/Rows.tsx';
import { deviceZone, preferredZone } from '../ui/timeZone.ts';
import { messageOf } from '../wire/apiError.ts';
import { keys, meQuery } from '../wire/queries.ts';
import { settingsKeys, sessionsQuery } from '../wire/settingsQueries.ts';
import type { Me, OwnSession } from '../wire/types.ts';
import { accountTexts } from './texts.tsx';

const SessionAbout = ({ session: { createdAt, lastUsedAt, address, current } }: { readonly session: OwnSession }) => {
  const opened = <Ago isInSentence at={createdAt} />;
  const used = <Ago isInSentence at={lastUsedAt} />;
  const where = address === null ? accountTexts.sessions.fromUnknown : accountTexts.sessions.from(address);
  return (
    <span>
      {current ? <strong>{accountTexts.sessions.thisOne}</strong> : where}{' '}
      <span className="soft">
        {current && address !== null
          ? accountTexts.sessions.usedFrom(address, opened, used)
          : accountTexts.sessions.used(opened, used)}
      </span>
    </span>
  );
};

/** Where one is signed in; each session can be ended. */
const Sessions = () => {
  const { data: sessions, error, refetch } = useRead(sessionsQuery);
  const { change, dialog } = useSettingsChange(settingsKeys.sessions);
  const signOut = async (): Promise<void> => {
    if (await change({ method: 'POST', path: '/sign-out' }, accountTexts.sessions.signedOut)) location.reload();
  };
  return (
    <section className="waiting" aria-label={accountTexts.sessions.label}>
      <h2>{accountTexts.sessions.title}</h2>
      {error !== null && sessions === undefined && <Problem error={error} onRetry={() => void refetch()} />}
      <Rows>
        {sessions?.map((session) => (
          <Row key={session.id}>
            <SessionAbout session={session} />
            {session.current ? (
              <Button onClick={() => void signOut()}>{accountTexts.sessions.signOut}</Button>
            ) : (
              <Button
                aria-label={
                  session.address === null
                    ? accountTexts.sessions.endOfUnknown
                    : accountTexts.sessions.endOf(session.address)
                }
                onClick={() =>
                  void change({ method: 'DELETE', path: `/me/sessions/${session.id}` }, accountTexts.sessions.ended)
                }
              >
                {accountTexts.sessions.end}
              </Button>
            )}
          </Row>
        ))}
      </Rows>
      {dialog}
    </section>
  );
};

const passwordTexts = accountTexts.password;

/** Changes one's own password, which ends one's other sessions. */
const PasswordForm = () => {
  const { notices } = useSession();
  const { call, dialog } = useSettingsChange(settingsKeys.sessions);
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const { error, isBusy, submit } = useSubmit(async () => {
    await call({ method: 'PATCH', path: '/me', body: { password: { current, next } } });
    setCurrent('');
    setNext('');
    notices.done(passwordTexts.changed);
  });
  return (
    <>
      <form className="flag-form" onSubmit={submit}>
        <TextInput
          label={passwordTexts.current}
          type="password"
          required
          autoComplete="current-password"
          value={current}
          onValue={setCurrent}
        />
        <label>
          {passwordTexts.next}
          <NewPasswordInput value={next} required onValue={setNext} />
        </label>
        <Button type="submit" disabled={isBusy || current === '' || next === ''}>
          {passwordTexts.change}
        </Button>
        <ProblemText text={error === null ? null : messageOf(error)} />
      </form>
      <p className="soft">{passwordTexts.about}</p>
      {dialog}
    </>
  );
};

const NameForm = ({ name }: { readonly name: string }) => {
  const [given, setGiven] = useState(name);
  const { change, dialog } = useSettingsChange(keys.me, ['people']);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void change({ method: 'PATCH', path: '/me', body: { name: given.trim() } }, accountTexts.nameChanged(given.trim()));
  };
  return (
    <form className="flag-form" onSubmit={submit}>
      <TextInput
        label={accountTexts.name}
        required
        maxLength={200}
        autoComplete="name"
        value={given}
        onValue={setGiven}
      />
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
        <Tick
          key={each}
          type="radio"
          name="theme"
          label={accountTexts.themes[each]}
          isOn={theme === each}
          onTick={() => choose(each)}
        />
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
  const { environment } = useSession();
  const { data: me } = useRead(meQuery);
  const { password } = useSignInMethods(environment);
  if (me === undefined) return null;
  return (
    <div className="column home account">
      <header>
        <h1>{accountTexts.title}</h1>
        <About me={me} />
      </header>
      <NameForm name={me.principal.name} />
      <Section className="waiting" title={accountTexts.appearance}>
        <Appearance />
      </Section>
      <Section className="waiting" title={accountTexts.times}>
        <TimeZone given={preferredZone(me.preferences)} />
      </Section>
      {password && (
        <Section className="waiting" title={accountTexts.password.title}>
          <PasswordForm />
        </Section>
      )}
      <Sessions />
    </div>
  );
};
