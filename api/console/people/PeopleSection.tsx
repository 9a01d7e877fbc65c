/** People in the settings: who may sign in, with which role, and the form of one, with how they sign in. Used by SettingsPage. */
import { useState } from 'react';
import { Confirm, CredentialDialog } from '../settings/dialogs.tsx';
import { reachText, ResourceForm } from '../settings/ResourceForm.tsx';
import type { SectionProps } from '../settings/sections.ts';
import { SettingsLink, useGoTo } from '../settings/SettingsLink.tsx';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { useSignInMethods } from '../shell/providerSignIn.ts';
import { useSession, useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { NewPasswordInput, Tick, Label } from '../ui/fields.tsx';
import { ColumnHead, ListTable } from '../ui/PageParts.tsx';
import { Problem, Skeleton } from '../ui/Problem.tsx';
import { keys, meQuery } from '../wire/queries.ts';
import { membersQuery, settingsKeys } from '../wire/settingsQueries.ts';
import type { Member } from '../wire/types.ts';
import { peopleTexts } from './texts.ts';

const signInTexts = peopleTexts.signIn;

interface PersonFormProps {
  /** null: a new one. */
  readonly person: Member | null;
  readonly onSubmit: (body: object) => Promise<void>;
  readonly onClose: () => void;
}

/** Returns how a new person signs in. */
const signInText = ({ oidc, password }: ReturnType<typeof useSignInMethods>): string =>
  oidc === null
    ? signInTexts.byPassword
    : (password ? signInTexts.byProviderOrPassword : signInTexts.byProvider)(oidc.label);

/** The form of a person, new or changed: how they sign in, beside what the forms of settings have alike. */
const PersonForm = ({ person, onSubmit, onClose }: PersonFormProps) => {
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
          <Label words={person === null ? signInTexts.password : signInTexts.newPassword} isOptional />
          <NewPasswordInput value={password} required={false} onValue={setPassword} />
        </label>
      )}
      {person !== null && methods.password && (
        <Tick label={signInTexts.inviteAgain} isOn={isInvitedAgain} onTick={setInvitedAgain} />
      )}
    </ResourceForm>
  );
};

const { removal } = peopleTexts;

/** What a removed person leaves behind. */
interface Left {
  readonly unassigned: number;
  readonly agents: readonly { readonly name: string }[];
}

/** The id of a new person in the address. */
const newPerson = 'new';

export const PeopleSection = ({ id }: SectionProps) => {
  const { notices } = useSession();
  const { data: me } = useRead(meQuery);
  const { data: members, error, refetch } = useRead(membersQuery);
  const { call, change, dialog } = useSettingsChange(settingsKeys.members, ['people'], keys.me);
  const [removing, setRemoving] = useState<Member | null>(null);
  const [invited, setInvited] = useState<{ readonly name: string; readonly link: string } | null>(null);
  const go = useGoTo('people');
  const open = members?.find((each) => each.id === id) ?? null;
  const submit = async (body: object): Promise<void> => {
    const { person, link } = await call<{ person: Member; link?: string | null }>(
      open === null
        ? { method: 'POST', path: '/settings/people', body }
        : { method: 'PATCH', path: `/settings/people/${open.id}`, body },
    );
    const texts =
      link === null ? peopleTexts.invited.mailed : open === null ? peopleTexts.maySignIn : peopleTexts.isChanged;
    if (typeof link === 'string') setInvited({ name: person.name, link });
    else notices.done(texts(person.name));
    go(undefined);
  };
  const remove = ({ id: whose, name }: Member): void =>
    void change<Left>({ method: 'DELETE', path: `/settings/people/${whose}` }, ({ unassigned, agents }) =>
      removal.done(
        name,
        unassigned,
        agents.map((agent) => agent.name),
      ),
    );
  if (error !== null && members === undefined) return <Problem isPage error={error} onRetry={() => void refetch()} />;
  return (
    <div className="column wide">
      <ColumnHead title={peopleTexts.title} about={peopleTexts.about}>
        <Button tone="main" onClick={() => go(newPerson)}>
          {peopleTexts.form.make}
        </Button>
      </ColumnHead>
      {members === undefined && <Skeleton rows={4} />}
      {members !== undefined && (
        <ListTable label={peopleTexts.title} headings={peopleTexts.headings} deeds={peopleTexts.remove}>
          {members.map((person) => (
            <tr key={person.id}>
              <td>
                <SettingsLink section="people" of={person} />
                {person.id === me?.principal.id && <span className="soft"> {peopleTexts.you}</span>}
              </td>
              <td>{person.email}</td>
              <td>
                <SettingsLink section="roles" of={person.role} />
              </td>
              <td className="soft">{reachText(person.environments)}</td>
              <td>
                <Button tone="bare" onClick={() => setRemoving(person)} aria-label={peopleTexts.removeOf(person.name)}>
                  {peopleTexts.remove}
                </Button>
              </td>
            </tr>
          ))}
        </ListTable>
      )}
      {(id === newPerson || open !== null) && (
        <PersonForm key={id} person={open} onSubmit={submit} onClose={() => go(undefined)} />
      )}
      {invited !== null && (
        <CredentialDialog
          title={peopleTexts.invited.title(invited.name)}
          about={peopleTexts.invited.about}
          parts={[[peopleTexts.invited.link, invited.link]]}
          onClose={() => setInvited(null)}
        />
      )}
      {removing !== null && (
        <Confirm
          title={removal.title(removing.name)}
          about={removal.about}
          deed={peopleTexts.removeOf(removing.name)}
          onConfirm={() => remove(removing)}
          onClose={() => setRemoving(null)}
        />
      )}
      {dialog}
    </div>
  );
};
