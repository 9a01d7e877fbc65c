/** The dialog that rotates an agent's token, with the grace period of the old one. Used by useAgentChanges. */
import { useState } from 'react';
import { GraceField, usualGraceMs } from '../settings/GraceField.tsx';
import { SubmitDialog } from '../settings/SubmitDialog.tsx';
import type { Agent } from '../wire/types.ts';
import { agentTexts } from './texts.tsx';

const texts = agentTexts.rotation;

interface RotateAgentProps {
  readonly agent: Agent;
  readonly onSubmit: (grace: number) => Promise<void>;
  readonly onClose: () => void;
}

export const RotateAgent = ({ agent, onSubmit, onClose }: RotateAgentProps) => {
  const [grace, setGrace] = useState(usualGraceMs);
  return (
    <SubmitDialog
      title={texts.title(agent.name)}
      about={texts.about}
      deed={texts.deed}
      submit={() => onSubmit(grace)}
      onClose={onClose}
    >
      <GraceField label={texts.oldToken} grace={grace} onGrace={setGrace} />
    </SubmitDialog>
  );
};
