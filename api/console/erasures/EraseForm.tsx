/** The dialog that names a person to erase, by their record, and counts what there is. Used by ErasuresSection. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SubmitDialog } from '../settings/SubmitDialog.tsx';
import { useSession } from '../shell/session.ts';
import { Optional } from '../ui/Optional.tsx';
import { resourcesQuery } from '../wire/actionQueries.ts';
import type { ErasureRequest } from '../wire/types.ts';
import { erasureTexts } from './texts.tsx';

const texts = erasureTexts.form;

interface EraseFormProps {
  /** Counts what the request would erase; what it throws is shown. */
  readonly onCount: (request: ErasureRequest) => Promise<void>;
  readonly onClose: () => void;
}

export const EraseForm = ({ onCount, onClose }: EraseFormProps) => {
  const { http } = useSession();
  const { data: resources = [] } = useQuery(resourcesQuery(http));
  const [chosen, setResource] = useState<string | null>(null);
  const [id, setId] = useState('');
  const [users, setUsers] = useState('');
  const [linked, setLinked] = useState(false);
  const resource = chosen ?? resources[0]?.name ?? '';
  return (
    <SubmitDialog
      title={erasureTexts.ask}
      about={texts.about}
      deed={texts.deed}
      submit={() =>
        onCount({
          record: { resource, id: id.trim() },
          users: users
            .split(',')
            .map((user) => user.trim())
            .filter(Boolean),
          linked,
        })
      }
      onClose={onClose}
    >
      <label>
        {texts.resource}
        <select value={resource} onChange={({ target }) => setResource(target.value)}>
          {resources.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        {texts.id}
        <input
          required
          maxLength={200}
          autoFocus
          autoComplete="off"
          value={id}
          onChange={({ target }) => setId(target.value)}
        />
      </label>
      <label>
        <span>
          {texts.users} <Optional />
        </span>
        <input autoComplete="off" value={users} onChange={({ target }) => setUsers(target.value)} />
      </label>
      <label className="choice">
        <input type="checkbox" checked={linked} onChange={({ target }) => setLinked(target.checked)} />
        {texts.linked}
      </label>
    </SubmitDialog>
  );
};
