/** Changes one's own password, which ends one's other sessions. Used by AccountPage. */
import { useState, type FormEvent } from 'react';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { NewPasswordInput } from '../ui/NewPasswordInput.tsx';
import { settingsKeys } from '../wire/settingsQueries.ts';
import { accountTexts } from './texts.ts';

const texts = accountTexts.password;

export const PasswordForm = () => {
  const { notices } = useSession();
  const { call, dialog } = useSettingsChange(settingsKeys.sessions);
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      await call({ method: 'PATCH', path: '/me', body: { password: { current, next } } });
      setCurrent('');
      setNext('');
      notices.show({ tone: 'done', text: texts.changed });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  return (
    <>
      <form className="flag-form" onSubmit={(event) => void submit(event)}>
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
        {problem !== null && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
      </form>
      <p className="soft">{texts.about}</p>
      {dialog}
    </>
  );
};
