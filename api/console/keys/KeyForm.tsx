/** The name of an app key, and how long an old one works on beside a new one. Used by KeysSection. */
import { useState } from 'react';
import { GraceField, usualGraceMs } from '../settings/GraceField.tsx';
import { NameField } from '../settings/NameField.tsx';
import { SubmitDialog } from '../settings/SubmitDialog.tsx';
import { useDraft } from '../ui/draft.ts';
import type { AppKey } from '../wire/types.ts';
import { keyTexts } from './texts.ts';

const { form, rotation } = keyTexts;

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
      title={appKey === null ? keyTexts.make : form.rename(appKey.name)}
      about={appKey === null ? form.newAbout : form.renameAbout}
      deed={appKey === null ? form.newDeed : form.renameDeed}
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
        placeholder={form.nameExample}
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
  const [grace, setGrace] = useState(usualGraceMs);
  return (
    <SubmitDialog
      title={rotation.title(appKey.name)}
      about={rotation.about}
      deed={rotation.deed}
      submit={() => onSubmit(grace)}
      onClose={onClose}
    >
      <GraceField label={rotation.oldKey} grace={grace} onGrace={setGrace} />
    </SubmitDialog>
  );
};
