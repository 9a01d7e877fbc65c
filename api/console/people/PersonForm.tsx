/** The form of a person, new or changed; a change sends only what is another. Used by PeopleSection. */
import { useState } from 'react';
import { DraftDialog } from '../settings/DraftDialog.tsx';
import { FieldProblem } from '../settings/FieldProblem.tsx';
import { NameField } from '../settings/NameField.tsx';
import { ReachField } from '../settings/ReachField.tsx';
import { RoleField } from '../settings/RoleField.tsx';
import { useSignInMethods } from '../shell/providerSignIn.ts';
import { useSession } from '../shell/session.ts';
import { useFormDraft } from '../ui/draft.ts';
import { NewPasswordInput } from '../ui/NewPasswordInput.tsx';
import { Optional } from '../ui/Optional.tsx';
import type { Member } from '../wire/types.ts';
import { peopleTexts } from './texts.ts';

const texts = peopleTexts.form;

interface PersonFormProps {
  /** null: a new one. */
  readonly person: Member | null;
  readonly onSubmit: (body: object) => Promise<void>;
  readonly onClose: () => void;
}

interface Fields extends Readonly<Record<string, string>> {
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly environments: string;
}

/** Returns the body of the call: of a change, what differs. */
const bodyOf = (given: Fields, before: Fields | null, password: string): object => {
  const whole = {
    name: given.name.trim(),
    email: given.email.trim(),
    role: given.role,
    environments: given.environments.split(',').filter(Boolean),
  };
  const changed = Object.entries(whole).filter(([name]) => before === null || given[name] !== before[name]);
  return Object.fromEntries([...changed, ...(password === '' ? [] : [['password', password] as const])]);
};

/** Returns how a new person signs in. */
const signInText = ({ oidc, password }: ReturnType<typeof useSignInMethods>): string =>
  oidc === null ? texts.byPassword : (password ? texts.byProviderOrPassword : texts.byProvider)(oidc.label);

export const PersonForm = ({ person, onSubmit, onClose }: PersonFormProps) => {
  const { environment } = useSession();
  const methods = useSignInMethods(environment);
  const needsPassword = person === null && methods.oidc === null;
  const before: Fields | null =
    person === null
      ? null
      : { name: person.name, email: person.email, role: person.role.id, environments: person.environments.join(',') };
  const fresh: Fields = { name: '', email: '', role: '', environments: environment };
  const [fields, set, forget, isTyped] = useFormDraft<Fields>(`person.${person?.id ?? 'new'}`, before ?? fresh);
  // A password is never kept in the browser's storage.
  const [password, setPassword] = useState('');
  return (
    <DraftDialog
      title={person === null ? peopleTexts.make : texts.change(person.name)}
      about={person === null ? signInText(methods) : texts.changeAbout}
      deed={person === null ? texts.newDeed : texts.change(person.name)}
      isNew={person === null}
      // The usual role is filled in by itself.
      isTyped={person === null ? fields.name !== '' || fields.email !== '' : isTyped}
      bodyOf={() => bodyOf(fields, before, password)}
      onSubmit={onSubmit}
      forget={forget}
      onClose={onClose}
    >
      {(taken) => (
        <>
          <NameField name={fields.name} onName={(name) => set({ name })} />
          <label>
            {texts.email}
            <input
              type="email"
              required
              aria-invalid={taken !== null}
              maxLength={320}
              autoComplete="off"
              value={fields.email}
              onChange={({ target }) => set({ email: target.value })}
            />
          </label>
          <FieldProblem text={taken} />
          <RoleField role={fields.role} onRole={(role) => set({ role })} />
          <ReachField
            reach={fields.environments.split(',').filter(Boolean)}
            onReach={(reach) => set({ environments: reach.join(',') })}
          />
          {methods.password && (
            <label>
              <span>
                {person === null ? texts.password : texts.newPassword} {!needsPassword && <Optional />}
              </span>
              <NewPasswordInput value={password} required={needsPassword} onValue={setPassword} />
            </label>
          )}
        </>
      )}
    </DraftDialog>
  );
};
