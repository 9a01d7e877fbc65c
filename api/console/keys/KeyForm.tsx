/** The name of an app key, and how long an old one works on beside a new one. Used by KeysSection. */
import { useState } from 'react';
import { GraceField } from '../settings/GraceField.tsx';
import { NameField } from '../settings/NameField.tsx';
import { SubmitDialog } from '../settings/SubmitDialog.tsx';
import { useDraft } from '../ui/draft.ts';
import type { AppKey } from '../wire/types.ts';

interface KeyFormProps {
  /** null: a new one. */
  readonly appKey: AppKey | null;
  readonly onSubmit: (name: string) => Promise<void>;
  readonly onClose: () => void;
}

export const KeyForm = ({ appKey, onSubmit, onClose }: KeyFormProps) => {
  const [draft, setDraft] = useDraft(`appKey.${appKey?.id ?? 'new'}`);
  const [name, setName] = useState(draft === '' ? (appKey?.name ?? '') : draft);
  return (
    <SubmitDialog
      title={appKey === null ? 'New app key' : `Rename ${appKey.name}`}
      about={appKey === null ? 'The key is shown once, after it is made.' : 'Only what people read changes.'}
      deed={appKey === null ? 'Make app key' : 'Rename'}
      submit={async () => {
        await onSubmit(name.trim());
        setDraft('');
      }}
      onClose={() => {
        if (appKey !== null) setDraft('');
        onClose();
      }}
    >
      <NameField
        name={name}
        placeholder="Shop, Frankfurt"
        onName={(next) => {
          setName(next);
          setDraft(next);
        }}
      />
    </SubmitDialog>
  );
};

interface RotateKeyProps {
  readonly appKey: AppKey;
  readonly onSubmit: (grace: number) => Promise<void>;
  readonly onClose: () => void;
}

export const RotateKey = ({ appKey, onSubmit, onClose }: RotateKeyProps) => {
  const [grace, setGrace] = useState(24 * 3_600_000);
  return (
    <SubmitDialog
      title={`New key for ${appKey.name}`}
      about="The old one works on while instances are replaced. The new key is shown once."
      deed="Make a new key"
      submit={() => onSubmit(grace)}
      onClose={onClose}
    >
      <GraceField label="The old key" grace={grace} onGrace={setGrace} />
    </SubmitDialog>
  );
};
