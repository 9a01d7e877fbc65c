/** People in the settings: who may sign in, with which role, and the form of one. Used by SettingsPage. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Confirm } from '../settings/Confirm.tsx';
import { reachText } from '../settings/ReachField.tsx';
import type { SectionProps } from '../settings/sections.ts';
import { SettingsLink } from '../settings/SettingsLink.tsx';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { ListTable } from '../ui/ListTable.tsx';
import { Problem, Skeleton } from '../ui/Problem.tsx';
import { keys, meQuery } from '../wire/queries.ts';
import { membersQuery, settingsKeys } from '../wire/settingsQueries.ts';
import type { Member } from '../wire/types.ts';
import { PersonForm } from './PersonForm.tsx';
import { peopleTexts } from './texts.ts';

const { removal } = peopleTexts;

/** The id of a new person in the address. */
const newPerson = 'new';

export const PeopleSection = ({ id }: SectionProps) => {
  const { http, environment, notices } = useSession();
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery(http));
  const { data: members, error, refetch } = useQuery(membersQuery(http));
  const { call, change, dialog } = useSettingsChange(settingsKeys.members, ['people'], keys.me);
  const [removing, setRemoving] = useState<Member | null>(null);
  const go = (next: string | undefined): void =>
    void navigate({
      to: '/env/$environment/settings/{-$section}/{-$id}',
      params: { environment, section: 'people', id: next },
    });
  const open = members?.find((each) => each.id === id) ?? null;
  const submit = async (body: object): Promise<void> => {
    const { person } = await call<{ person: Member }>(
      open === null
        ? { method: 'POST', path: '/settings/people', body }
        : { method: 'PATCH', path: `/settings/people/${open.id}`, body },
    );
    notices.show({
      tone: 'done',
      text: open === null ? peopleTexts.maySignIn(person.name) : peopleTexts.isChanged(person.name),
    });
    go(undefined);
  };
  if (error !== null && members === undefined) return <Problem isPage error={error} onRetry={() => void refetch()} />;
  return (
    <div className="column wide">
      <header className="column-head">
        <div>
          <h1>{peopleTexts.title}</h1>
          <p className="soft">{peopleTexts.about}</p>
        </div>
        <Button tone="main" onClick={() => go(newPerson)}>
          {peopleTexts.make}
        </Button>
      </header>
      {members === undefined && <Skeleton rows={4} />}
      {members !== undefined && (
        <ListTable label={peopleTexts.title} headings={peopleTexts.headings} deeds={peopleTexts.remove}>
          {members.map((person) => (
            <tr key={person.id}>
              <td>
                <SettingsLink section="people" id={person.id}>
                  {person.name}
                </SettingsLink>
                {person.id === me?.principal.id && <span className="soft"> {peopleTexts.you}</span>}
              </td>
              <td>{person.email}</td>
              <td>
                <SettingsLink section="roles" id={person.role.id}>
                  {person.role.name}
                </SettingsLink>
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
      {removing !== null && (
        <Confirm
          title={removal.title(removing.name)}
          about={removal.about}
          deed={peopleTexts.removeOf(removing.name)}
          onConfirm={() =>
            void change({ method: 'DELETE', path: `/settings/people/${removing.id}` }, removal.done(removing.name))
          }
          onClose={() => setRemoving(null)}
        />
      )}
      {dialog}
    </div>
  );
};
