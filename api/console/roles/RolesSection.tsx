/** Roles in the settings: the list with who has each, or the one that is open. Used by SettingsPage. */
import type { SectionProps } from '../settings/sections.ts';
import { SettingsLink, useGoTo } from '../settings/SettingsLink.tsx';
import { useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Ago } from '../ui/marks.tsx';
import { ColumnHead, ListTable } from '../ui/PageParts.tsx';
import { count } from '../ui/plural.ts';
import { Problem, Skeleton } from '../ui/Problem.tsx';
import { rolesQuery } from '../wire/settingsQueries.ts';
import { useHolders, newRole, RolePage } from './RolePage.tsx';
import { roleTexts } from './texts.ts';

const RolesPage = () => {
  const go = useGoTo('roles');
  const { data: roles, error, refetch } = useRead(rolesQuery);
  const holdersOf = useHolders();
  if (error !== null && roles === undefined) return <Problem isPage error={error} onRetry={() => void refetch()} />;
  return (
    <div className="column">
      <ColumnHead title={roleTexts.title} about={roleTexts.about}>
        <Button tone="main" onClick={() => go(newRole)}>
          {roleTexts.make}
        </Button>
      </ColumnHead>
      {roles === undefined && <Skeleton rows={4} />}
      {roles !== undefined && (
        <ListTable label={roleTexts.title} headings={roleTexts.headings}>
          {roles.map(({ id, name, builtIn, updatedAt }) => {
            const { people, agents } = holdersOf(id);
            return (
              <tr key={id}>
                <td>
                  <SettingsLink section="roles" of={{ id, name }} />
                </td>
                <td>{count(people.length)}</td>
                <td>{count(agents.length)}</td>
                <td className="soft">{builtIn ? roleTexts.builtIn : <Ago at={updatedAt} />}</td>
              </tr>
            );
          })}
        </ListTable>
      )}
    </div>
  );
};

export const RolesSection = ({ id }: SectionProps) =>
  id === undefined ? <RolesPage /> : <RolePage key={id} id={id} />;
