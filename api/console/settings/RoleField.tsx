/** The role of an agent or a person, as a part of a form. Used by the settings. */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useSession } from '../shell/session.ts';
import { Options } from '../ui/fields.tsx';
import { rolesQuery } from '../wire/settingsQueries.ts';
import { settingsTexts } from './texts.ts';

interface RoleFieldProps {
  /** Its id; empty: none is chosen yet, and the usual one is taken. */
  readonly role: string;
  readonly onRole: (role: string) => void;
}

export const RoleField = ({ role, onRole }: RoleFieldProps) => {
  const { http } = useSession();
  const { data: roles } = useQuery(rolesQuery(http));
  useEffect(() => {
    const usual = roles?.find(({ name }) => name === 'operator');
    if (role === '' && usual !== undefined) onRole(usual.id);
  });
  return (
    <label>
      {settingsTexts.role}
      <select required value={role} onChange={({ target }) => onRole(target.value)}>
        <option value="" disabled>
          {settingsTexts.chooseRole}
        </option>
        <Options of={roles?.map(({ id, name }) => [id, name])} />
      </select>
    </label>
  );
};
