/** The dialog that names a person to erase, by their record, and counts what there is. Used by ErasuresSection. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { RecordChoices } from '../content/RecordChoices.tsx';
import { SubmitDialog } from '../settings/SubmitDialog.tsx';
import { useSession } from '../shell/session.ts';
import { Choice, Optional, ProblemText, TextInput } from '../ui/fields.tsx';
import { toWords } from '../ui/words.ts';
import { resourcesQuery } from '../wire/actionQueries.ts';
import { ApiError } from '../wire/apiError.ts';
import { recordQuery } from '../wire/recordQueries.ts';
import type { ErasureRequest } from '../wire/types.ts';
import { erasureTexts } from './texts.tsx';

interface RecordFieldProps {
  readonly resource: string;
  readonly id: string;
  /** Why the id can't be meant, or may not be; null: nothing speaks against it. */
  readonly problem: string | null;
  readonly onId: (id: string) => void;
}

/** The id of the record of a person to erase, found by the words of it too. */
const RecordField = ({ resource, id, problem, onId }: RecordFieldProps) => (
  <>
    <TextInput
      label={erasureTexts.form.id}
      required
      maxLength={200}
      autoFocus
      spellCheck={false}
      aria-invalid={problem !== null}
      value={id}
      onValue={onId}
    />
    <ProblemText text={problem} />
    <RecordChoices resource={resource} id={id} onId={onId} />
  </>
);

/** `missing`: there is none with this id; `unclear`: it can't be looked up now. */
export type Known = 'known' | 'missing' | 'unclear';

/** Whether there is a record with an id. */
const useLookUp = (): ((record: ErasureRequest['record']) => Promise<Known>) => {
  const { http, queries } = useSession();
  return async (record) => {
    try {
      await queries.fetchQuery({ ...recordQuery(http, record), retry: false });
      return 'known';
    } catch (error) {
      return error instanceof ApiError && error.status === 404 ? 'missing' : 'unclear';
    }
  };
};

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
      <Choice
        label={texts.resource}
        value={resource}
        options={resources.map(({ name, label }) => [name, label])}
        onValue={setResource}
      />
      <RecordField
        resource={resource}
        id={id}
        problem={doubt === null ? null : texts.doubts[doubt](toWords(resource).toLowerCase())}
        onId={setId}
      />
      <TextInput
        label={
          <span>
            {texts.users} <Optional />
          </span>
        }
        value={users}
        onValue={setUsers}
      />
      <label className="choice">
        <input type="checkbox" checked={linked} onChange={({ target }) => setLinked(target.checked)} />
        {texts.linked}
      </label>
    </SubmitDialog>
  );
};
