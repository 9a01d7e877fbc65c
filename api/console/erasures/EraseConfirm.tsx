/** Confirms an erasure: whose record it is, which items go with it, and the id typed; of a record that nothing is known of, that it is meant. Used by ErasuresSection. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SubmitDialog } from '../settings/SubmitDialog.tsx';
import { useSession } from '../shell/session.ts';
import { TextInput } from '../ui/fields.tsx';
import { Row, Rows } from '../ui/Rows.tsx';
import { recordQuery } from '../wire/recordQueries.ts';
import type { ErasureRequest } from '../wire/types.ts';
import { erasureTexts } from './texts.tsx';

const texts = erasureTexts.confirm;

/** Titles of items that are named. */
const namedMost = 10;

interface EraseConfirmProps {
  readonly record: ErasureRequest['record'];
  /** What would go, and what would stay. */
  readonly about: string;
  /** Whether neither the record nor anything of it was found. */
  readonly isDoubtful: boolean;
  readonly onErase: () => Promise<void>;
  readonly onClose: () => void;
}

export const EraseConfirm = ({ record, about, isDoubtful, onErase, onClose }: EraseConfirmProps) => {
  const { http } = useSession();
  // A record that the app has deleted already is named by its id alone.
  const { data: page } = useQuery({ ...recordQuery(http, record), retry: false });
  const [typed, setTyped] = useState('');
  const [isWrong, setWrong] = useState(false);
  const [isMeant, setMeant] = useState(false);
  const items = page?.items ?? [];
  return (
    <SubmitDialog
      title={page === undefined ? texts.title(record.id) : texts.titleOf(page.record.title, record.id)}
      about={about}
      deed={texts.deed}
      tone="danger"
      isOff={isDoubtful && !isMeant}
      submit={async () => {
        setWrong(typed.trim() !== record.id);
        if (typed.trim() === record.id) await onErase();
      }}
      onClose={onClose}
    >
      {items.length > 0 && (
        <section aria-label={texts.items}>
          <h3>{texts.items}</h3>
          <Rows>
            {items.slice(0, namedMost).map(({ id, title }) => (
              <Row key={id} dir="auto" title={id}>
                {title}
              </Row>
            ))}
          </Rows>
          {items.length > namedMost && <p className="soft">{texts.moreItems}</p>}
        </section>
      )}
      {isDoubtful && (
        <label className="choice danger">
          <input type="checkbox" checked={isMeant} onChange={({ target }) => setMeant(target.checked)} />
          {texts.isMeant}
        </label>
      )}
      <TextInput
        label={texts.type(record.id)}
        autoFocus
        spellCheck={false}
        aria-invalid={isWrong}
        value={typed}
        onValue={setTyped}
      />
      {isWrong && (
        <p className="problem" role="alert">
          {texts.isOther}
        </p>
      )}
    </SubmitDialog>
  );
};
