/** The form of a person, new or changed: how they sign in, beside what the forms of settings have alike. Used by PeopleSection. */
import { useState } from 'react';
import { ResourceForm } from '../settings/ResourceForm.tsx';
import { useSignInMethods } from '../shell/providerSignIn.ts';
import { useSession } from '../shell/session.ts';
import { NewPasswordInput, Optional } from '../ui/fields.tsx';
import type { Member } from '../wire/types.ts';
import { peopleTexts } from './texts.ts';

const texts = peopleTexts.signIn;

interface PersonFormProps {
  /** null: a new one. */
  readonly person: Member | null;
  readonly onSubmit: (body: object) => Promise<void>;
  readonly onClose: () => void;
}

/** Returns how a new person signs in. */
const signInText = ({ oidc, password }: ReturnType<typeof useSignInMethods>): string =>
  oidc === null ? texts.byPassword : (password ? texts.byProviderOrPassword : texts.byProvider)(oidc.label);

export const PersonForm = ({ person, onSubmit, onClose }: PersonFormProps) => {
  const { environment } = useSession();
  const methods = useSignInMethods(environment);
  const isInvited = person === null && methods.oidc === null;
  const [isInvitedAgain, setInvitedAgain] = useState(false);
  // A password is never kept in the browser's storage.
  const [password, setPassword] = useState('');
  return (
    <ResourceForm
      draft="person"
      texts={{ ...peopleTexts.form, newAbout: signInText(methods) }}
      thing={person}
      added={{
        ...(password === '' ? {} : { password }),
        ...((isInvited && password === '') || isInvitedAgain ? { invite: true } : {}),
      }}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      {methods.password && (
        <label>
          <span>
            {person === null ? texts.password : texts.newPassword} <Optional />
          </span>
          <NewPasswordInput value={password} required={false} onValue={setPassword} />
        </label>
      )}
      {person !== null && methods.password && (
        <label className="choice">
          <input type="checkbox" checked={isInvitedAgain} onChange={({ target }) => setInvitedAgain(target.checked)} />
          <span>{texts.inviteAgain}</span>
        </label>
      )}
    </ResourceForm>
  );
};
