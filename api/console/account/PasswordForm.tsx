/** Changes one's own password, which ends one's other sessions. Used by AccountPage. */
import { useState } from 'react';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { NewPasswordInput, ProblemText } from '../ui/fields.tsx';
import { useSubmit } from '../ui/useSubmit.ts';
import { messageOf } from '../wire/apiError.ts';
import { settingsKeys } from '../wire/settingsQueries.ts';
import { accountTexts } from './texts.ts';

const texts = accountTexts.password;

export const PasswordForm = () => {
  const { notices } = useSession();
  const { call, dialog } = useSettingsChange(settingsKeys.sessions);
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const { error, isBusy, submit } = useSubmit(async () => {
    await call({ method: 'PATCH', path: '/me', body: { password: { current, next } } });
    setCurrent('');
    setNext('');
    notices.show({ tone: 'done', text: texts.changed });
  });
  return (
    <>
      <form className="flag-form" onSubmit={submit}>
        <label>
          {texts.current}
          <input
            type="password"
            required
            autoComplete="current-password"
            value={current}
            onChange={({ target }) => setCurrent(target.value)}
          />
        </label>
        <label>
          {texts.next}
          <NewPasswordInput value={next} required onValue={setNext} />
        </label>
        <Button type="submit" disabled={isBusy || current === '' || next === ''}>
          {texts.change}
        </Button>
        <ProblemText text={error === null ? null : messageOf(error)} />
      </form>
      <p className="soft">{texts.about}</p>
      {dialog}
    </>
  );
};
