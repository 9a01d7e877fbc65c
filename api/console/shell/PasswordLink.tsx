/** Setting a password without a session: asking for a link by mail, and choosing the password by the link. Used by SignIn and the router. */
import { useState } from 'react';
import { Button } from '../ui/Button.tsx';
import { NewPasswordInput, ProblemText, TextInput, useSubmit } from '../ui/fields.tsx';
import { type FormDialogProps } from '../ui/FormDialog.tsx';
import { messageOf } from '../wire/apiError.ts';
import { createHttp } from '../wire/http.ts';
import { laterTexts } from './laterTexts.ts';
import { everyEnvironment } from './providerSignIn.ts';

const texts = laterTexts.passwordLink;

interface LinkFormProps extends Pick<FormDialogProps, 'title' | 'about' | 'deed' | 'children'> {
  readonly onSubmit: () => Promise<void>;
}

/** A form in the place of the sign-in, with its one button and the reason of a refusal. */
const LinkForm = ({ title, about, deed, onSubmit, children }: LinkFormProps) => {
  const { error, isBusy, submit } = useSubmit(onSubmit);
  return (
    <main className="sign-in">
      <form onSubmit={submit}>
        <h1>{title}</h1>
        <p className="soft">{about}</p>
        {children}
        <ProblemText text={error === null ? null : messageOf(error)} />
        <Button type="submit" tone="main" disabled={isBusy}>
          {deed}
        </Button>
      </form>
    </main>
  );
};

/** `onEnd`: shows the sign-in again. */
export const ForgotPassword = ({ onEnd }: { readonly onEnd: () => void }) => {
  const [email, setEmail] = useState('');
  const [isSent, setSent] = useState(false);
  const send = async (): Promise<void> => {
    await createHttp(everyEnvironment).call('POST', '/sign-in/reset', { body: { email: email.trim() } });
    setSent(true);
  };
  return (
    <LinkForm
      title={texts.forgot.title}
      about={isSent ? texts.forgot.sent : texts.forgot.about}
      deed={isSent ? texts.forgot.back : texts.forgot.deed}
      onSubmit={isSent ? () => Promise.resolve(onEnd()) : send}
    >
      {!isSent && (
        <TextInput
          label={texts.email}
          type="email"
          required
          autoFocus
          autoComplete="username"
          value={email}
          onValue={setEmail}
        />
      )}
    </LinkForm>
  );
};

interface ChoosePasswordProps {
  readonly link: { readonly kind: 'invitation' | 'reset'; readonly token: string };
  /** Called with the environments of the person, who is signed in. */
  readonly onDone: (environments: readonly string[]) => void;
}

export const ChoosePassword = ({ link: { kind, token }, onDone }: ChoosePasswordProps) => {
  const [password, setPassword] = useState('');
  const choose = async (): Promise<void> => {
    const path = kind === 'invitation' ? '/sign-in/invitation' : '/sign-in/reset/confirm';
    const http = createHttp(everyEnvironment);
    const { body } = await http.call<{ environments: string[] }>('POST', path, { body: { token, password } });
    onDone(body.environments);
  };
  return (
    <LinkForm title={texts[kind].title} about={texts[kind].about} deed={texts[kind].deed} onSubmit={choose}>
      <label>
        {texts.password}
        <NewPasswordInput value={password} required onValue={setPassword} />
      </label>
    </LinkForm>
  );
};
