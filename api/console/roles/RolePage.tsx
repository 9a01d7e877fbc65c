/** One role, or a new one: its grants as a matrix, what it sees with them, and who has it. Used by RolesSection. */
import { useState, type FormEvent } from 'react';
import { Confirm } from '../settings/dialogs.tsx';
import { SettingsLink, useGoTo } from '../settings/SettingsLink.tsx';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { useFormDraft } from '../ui/draft.ts';
import { ProblemText, TextInput, RestoredNote } from '../ui/fields.tsx';
import { Section } from '../ui/PageParts.tsx';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { Row, Rows } from '../ui/Rows.tsx';
import { keys } from '../wire/queries.ts';
import { rolesQuery, settingsKeys, agentsQuery, membersQuery } from '../wire/settingsQueries.ts';
import type { Role } from '../wire/types.ts';
import { GrantMatrix } from './GrantMatrix.tsx';
import { toGranted, toGrants, type Granted } from './grants.ts';
import { RolePreview } from './RolePreview.tsx';
import { roleTexts } from './texts.ts';
import { useDeclared } from './useDeclared.ts';

/** Returns those who have a role, as far as they share an environment with whoever asks. */
export const useHolders = () => {
  const { data: members = [] } = useRead(membersQuery);
  const { data: agents = [] } = useRead(agentsQuery);
  return (id: string) => ({
    people: members.filter(({ role }) => role.id === id),
    agents: agents.filter(({ role }) => role.id === id),
  });
};

/** The people and agents that have a role. */
const RoleHolders = ({ id }: { readonly id: string }) => {
  const { people, agents } = useHolders()(id);
  return (
    <Section className="waiting" title={roleTexts.holders}>
      {people.length + agents.length === 0 && <p className="soft">{roleTexts.nobody}</p>}
      <Rows>
        {people.map((person) => (
          <Row key={person.id}>
            <SettingsLink section="people" of={person} />
            <span className="soft">{person.email}</span>
          </Row>
        ))}
        {agents.map((agent) => (
          <Row key={agent.id}>
            <SettingsLink section="agents" of={agent} />
            <span className="soft">{roleTexts.agent(agent.mode)}</span>
          </Row>
        ))}
      </Rows>
    </Section>
  );
};

/** The id of a new role in the address; with `-<id>` behind it, of a copy. */
export const newRole = 'new';

interface EditorProps {
  /** null: a new one. */
  readonly role: Role | null;
  /** The grants of the role that is copied; null: none. */
  readonly base: Role | null;
}

const readGranted = (text: string): Granted => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what this page wrote
  return JSON.parse(text) as Granted;
};

const useRoleDraft = ({ role, base }: EditorProps) => {
  const given = role ?? base;
  const initial = {
    name: role?.name ?? (base === null ? '' : roleTexts.copyName(base.name)),
    granted: JSON.stringify(given === null ? {} : toGranted(given.grants)),
    since: String(role?.updatedAt ?? 0),
  };
  const [draft, set, forget] = useFormDraft(`role.${role?.id ?? `new-${base?.id ?? ''}`}`, initial);
  const [isRestored, setRestored] = useState(draft.name !== initial.name || draft.granted !== initial.granted);
  const isChanged =
    draft.name !== initial.name ||
    JSON.stringify(toGrants(readGranted(draft.granted))) !== JSON.stringify(toGrants(readGranted(initial.granted)));
  return {
    name: draft.name,
    granted: readGranted(draft.granted),
    isChanged,
    /** Whether it was begun before the page was opened. */
    isRestored,
    /** Whether somebody else changed the role since the draft was begun. */
    isOld: isChanged && draft.since !== initial.since,
    set: (part: { readonly name?: string; readonly granted?: Granted }) =>
      set({
        since: draft.since,
        ...(part.name === undefined ? {} : { name: part.name }),
        ...(part.granted === undefined ? {} : { granted: JSON.stringify(part.granted) }),
      }),
    forget: () => {
      setRestored(false);
      forget();
    },
  };
};

const deedOf = (role: Role | null, holders: number): string =>
  role === null ? roleTexts.makeDeed : holders === 0 ? roleTexts.changeDeed : roleTexts.changeForHolders(holders);

const RoleEditor = ({ role, base }: EditorProps) => {
  const { change, dialog } = useSettingsChange(settingsKeys.roles, keys.me);
  const { name, granted, isChanged, isRestored, isOld, set, forget } = useRoleDraft({ role, base });
  const declared = useDeclared();
  const holdersOf = useHolders();
  const [isDeleting, setDeleting] = useState(false);
  /** Why it was not saved: nothing is granted, or the name is taken. */
  const [problem, setProblem] = useState<{ readonly of: 'name' | 'grants'; readonly text: string } | null>(null);
  const granting = toGrants(granted);
  const isFixed = role?.builtIn === true;
  const { people, agents } = holdersOf(role?.id ?? '');
  const go = useGoTo('roles');
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const body = { name: name.trim(), grants: toGrants(granted) };
    setProblem(body.grants.length === 0 ? { of: 'grants', text: roleTexts.noGrants } : null);
    if (body.grants.length === 0) return;
    const done =
      role === null
        ? await change({ method: 'POST', path: '/settings/roles', body }, roleTexts.isMade(body.name))
        : await change({ method: 'PATCH', path: `/settings/roles/${role.id}`, body }, roleTexts.isChanged(body.name));
    if (!done) return;
    forget();
    if (role === null) go(undefined);
  };
  const remove = async (): Promise<void> => {
    if (await change({ method: 'DELETE', path: `/settings/roles/${role?.id ?? ''}` }, roleTexts.deletion.done(name)))
      go(undefined);
  };
  return (
    <div className="column wide home">
      <header className="column-head">
        <div>
          <p className="soft">
            <SettingsLink section="roles">{roleTexts.title}</SettingsLink>
          </p>
          <h1 dir="auto">{role?.name ?? (base === null ? roleTexts.make : roleTexts.copyOf(base.name))}</h1>
          <p className="soft">{isFixed ? roleTexts.builtInAbout : roleTexts.roleAbout}</p>
        </div>
        {role !== null && (
          <div className="deeds">
            <Button onClick={() => go(`${newRole}-${role.id}`)}>{roleTexts.copy}</Button>
            {!isFixed && (
              <Button tone="danger" onClick={() => setDeleting(true)}>
                {roleTexts.delete}
              </Button>
            )}
          </div>
        )}
      </header>
      {isRestored && <RestoredNote onDiscard={forget} />}
      <form className="role-form" onSubmit={(event) => void submit(event)}>
        {!isFixed && (
          <TextInput
            label={roleTexts.name}
            required
            maxLength={100}
            autoFocus={role === null}
            aria-invalid={problem?.of === 'name'}
            value={name}
            onValue={(next) => set({ name: next })}
          />
        )}
        {problem?.of === 'name' && <ProblemText text={problem.text} />}
        <RolePreview granted={granted} declared={declared} />
        <GrantMatrix
          granted={granted}
          declared={declared}
          onGranted={isFixed ? null : (next) => set({ granted: next })}
        />
        {problem?.of === 'grants' && granting.length === 0 && <ProblemText text={problem.text} />}
        {!isFixed && (
          <div className="verdict-buttons">
            <Button type="submit" tone="main" disabled={role !== null && !isChanged}>
              {deedOf(role, people.length + agents.length)}
            </Button>
            {isChanged && <Button onClick={forget}>{roleTexts.reset}</Button>}
          </div>
        )}
        {isOld && <p className="hint">{roleTexts.isOld}</p>}
      </form>
      {role !== null && <RoleHolders id={role.id} />}
      {isDeleting && (
        <Confirm
          title={roleTexts.deletion.title(name)}
          about={roleTexts.deletion.about}
          deed={roleTexts.deletion.deed(name)}
          onConfirm={() => void remove()}
          onClose={() => setDeleting(false)}
        />
      )}
      {dialog}
    </div>
  );
};

export const RolePage = ({ id }: { readonly id: string }) => {
  const { data: roles, error, refetch } = useRead(rolesQuery);
  if (error !== null && roles === undefined) return <Problem isPage error={error} onRetry={() => void refetch()} />;
  if (roles === undefined) return <Skeleton rows={8} />;
  const find = (wanted: string): Role | null => roles.find((each) => each.id === wanted) ?? null;
  if (id === newRole || id.startsWith(`${newRole}-`))
    return <RoleEditor role={null} base={find(id.slice(newRole.length + 1))} />;
  const role = find(id);
  return role === null ? (
    <Empty title={roleTexts.notFound}>{roleTexts.notFoundAbout}</Empty>
  ) : (
    <RoleEditor role={role} base={null} />
  );
};
