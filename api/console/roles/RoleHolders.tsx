/** The people and agents that have a role. Used by RolePage. */
import { useQuery } from '@tanstack/react-query';
import { SettingsLink } from '../settings/SettingsLink.tsx';
import { useSession } from '../shell/session.ts';
import { Row, Rows } from '../ui/Rows.tsx';
import { agentsQuery, membersQuery } from '../wire/settingsQueries.ts';
import { roleTexts } from './texts.ts';

/** Returns those who have a role, as far as they share an environment with whoever asks. */
export const useHolders = () => {
  const { http } = useSession();
  const { data: members = [] } = useQuery(membersQuery(http));
  const { data: agents = [] } = useQuery(agentsQuery(http));
  return (id: string) => ({
    people: members.filter(({ role }) => role.id === id),
    agents: agents.filter(({ role }) => role.id === id),
  });
};

export const RoleHolders = ({ id }: { readonly id: string }) => {
  const { people, agents } = useHolders()(id);
  return (
    <section className="waiting" aria-label={roleTexts.holders}>
      <h2>{roleTexts.holders}</h2>
      {people.length + agents.length === 0 && <p className="soft">{roleTexts.nobody}</p>}
      <Rows>
        {people.map((person) => (
          <Row key={person.id}>
            <SettingsLink section="people" id={person.id}>
              {person.name}
            </SettingsLink>
            <span className="soft">{person.email}</span>
          </Row>
        ))}
        {agents.map((agent) => (
          <Row key={agent.id}>
            <SettingsLink section="agents" id={agent.id}>
              {agent.name}
            </SettingsLink>
            <span className="soft">{roleTexts.agent(agent.mode)}</span>
          </Row>
        ))}
      </Rows>
    </section>
  );
};
