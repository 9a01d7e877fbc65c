/** The dialog that renews a token, with the time for which the old one works on. Used by useResource. */
import { useState } from 'react';
import { Choice } from '../ui/fields.tsx';
import type { ResourceDeeds } from './resourceRow.ts';
import { SubmitDialog } from './SubmitDialog.tsx';
import { settingsTexts } from './texts.ts';

const { grace: graceTexts } = settingsTexts;

const hourMs = 3_600_000;

/** Preselected: a token that ends at once stops what still works with it. */
const usualGraceMs = 24 * hourMs;

const graces: readonly (readonly [number, string])[] = [
  [0, graceTexts.none],
  [hourMs, graceTexts.hour],
  [usualGraceMs, graceTexts.day],
  [7 * 24 * hourMs, graceTexts.week],
];

interface RotateDialogProps {
  readonly name: string;
  readonly texts: NonNullable<ResourceDeeds['rotation']>;
  readonly onSubmit: (grace: number) => Promise<void>;
  readonly onClose: () => void;
}

export const RotateDialog = ({ name, texts, onSubmit, onClose }: RotateDialogProps) => {
  const [grace, setGrace] = useState(usualGraceMs);
  return (
    <SubmitDialog
      title={texts.title(name)}
      about={texts.about}
      deed={texts.deed}
      submit={() => onSubmit(grace)}
      onClose={onClose}
    >
      <Choice
        label={texts.old}
        autoFocus
        value={String(grace)}
        options={graces}
        onValue={(ms) => setGrace(Number(ms))}
      />
    </SubmitDialog>
  );
};
