/** People in the settings: who may sign in, with which role, and the form of one. Used by SettingsPage. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Confirm } from '../settings/Confirm.tsx';
import { CredentialDialog } from '../settings/CredentialDialog.tsx';
import { reachText } from '../settings/ReachField.tsx';
import type { SectionProps } from '../settings/sections.ts';
import { SettingsLink } from '../settings/SettingsLink.tsx';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { ColumnHead } from '../ui/ColumnHead.tsx';
import { ListTable } from '../ui/ListTable.tsx';
import { Problem, Skeleton } from '../ui/Problem.tsx';
import { keys, meQuery } from '../wire/queries.ts';
import { membersQuery, settingsKeys } from '../wire/settingsQueries.ts';
import type { Member } from '../wire/types.ts';
import { PersonForm } from './PersonForm.tsx';
import { peopleTexts } from './texts.ts';

const { removal } = peopleTexts;

/** What a removed person leaves behind. */
interface Left {
  readonly unassigned: number;
  readonly agents: readonly { readonly name: string }[];
}

/** The id of a new person in the address. */
const newPerson = 'new';

export const PeopleSection = ({ id }: SectionProps) => {
  const { http, environment, notices } = useSession();
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery(http));
  const { data: members, error, refetch } = useQuery(membersQuery(http));
  const { call, dialog } = useSettingsChange(settingsKeys.members, ['people'], keys.me);
  const [removing, setRemoving] = useState<Member | null>(null);
  const [invited, setInvited] = useState<{ readonly name: string; readonly link: string } | null>(null);
  const go = (next: string | undefined): void =>
    void navigate({
      to: '/env/$environment/settings/{-$section}/{-$id}',
      params: { environment, section: 'people', id: next },
    });
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
    else notices.show({ tone: 'done', text: texts(person.name) });
    go(undefined);
  };
  const remove = async ({ id: whose, name }: Member): Promise<void> => {
    try {
      const left = await call<Left>({ method: 'DELETE', path: `/settings/people/${whose}` });
      notices.show({
        tone: 'done',
        text: removal.done(
          name,
          left.unassigned,
          left.agents.map((agent) => agent.name),
        ),
      });
    } catch (failure) {
      notices.show({ tone: 'failed', text: failure instanceof Error ? failure.message : String(failure) });
    }
  };
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
          onConfirm={() => void remove(removing)}
          onClose={() => setRemoving(null)}
        />
      )}
      {dialog}
    </div>
  );
};
