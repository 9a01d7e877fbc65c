/** The dialog that names a person to erase, by their record, and counts what there is. Used by ErasuresSection. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SubmitDialog } from '../settings/SubmitDialog.tsx';
import { useSession } from '../shell/session.ts';
import { Optional } from '../ui/Optional.tsx';
import { toWords } from '../ui/words.ts';
import { resourcesQuery } from '../wire/actionQueries.ts';
import type { ErasureRequest } from '../wire/types.ts';
import { RecordField } from './RecordField.tsx';
import { erasureTexts } from './texts.tsx';
import { useLookUp, type Known } from './useLookUp.ts';

const texts = erasureTexts.form;

interface EraseFormProps {
  /** Counts what the request would erase, of a record that there is, or may not be; what it throws is shown. */
  readonly onCount: (request: ErasureRequest, known: Known) => Promise<void>;
  readonly onClose: () => void;
}

export const EraseForm = ({ onCount, onClose }: EraseFormProps) => {
  const { http } = useSession();
  const { data: resources = [] } = useQuery(resourcesQuery(http));
  const [chosen, setResource] = useState<string | null>(null);
  const [id, setId] = useState('');
  const [users, setUsers] = useState('');
  const [linked, setLinked] = useState(false);
  /** The record that was looked up last, where that did not find it. */
  const [doubted, setDoubted] = useState<{ readonly place: string; readonly known: Known } | null>(null);
  const lookUp = useLookUp();
  const resource = chosen ?? resources[0]?.name ?? '';
  const record = { resource, id: id.trim() };
  const place = JSON.stringify(record);
  const doubt = doubted?.place === place ? doubted.known : null;
  /** Looks the record up first: a second time it is counted, whatever that found. */
  const submit = async (): Promise<void> => {
    const known = doubt ?? (await lookUp(record));
    if (doubt === null && known !== 'known') return setDoubted({ place, known });
    await onCount(
      {
        record,
        users: users
          .split(',')
          .map((user) => user.trim())
          .filter(Boolean),
        linked,
      },
      known,
    );
  };
  return (
    <SubmitDialog
      title={erasureTexts.ask}
      about={texts.about}
      deed={doubt === null ? texts.deed : texts.deedAllTheSame}
      submit={submit}
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
      <RecordField
        resource={resource}
        id={id}
        problem={doubt === null ? null : texts.doubts[doubt](toWords(resource).toLowerCase())}
        onId={setId}
      />
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
