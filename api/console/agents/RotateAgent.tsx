/** The dialog that rotates an agent's token, with the grace period of the old one. Used by useAgentChanges. */
import { useState } from 'react';
import { GraceField } from '../settings/GraceField.tsx';
import { SubmitDialog } from '../settings/SubmitDialog.tsx';
import type { Agent } from '../wire/types.ts';

interface RotateAgentProps {
  readonly agent: Agent;
  readonly onSubmit: (grace: number) => Promise<void>;
  readonly onClose: () => void;
}

export const RotateAgent = ({ agent, onSubmit, onClose }: RotateAgentProps) => {
  const [grace, setGrace] = useState(0);
  return (
    <SubmitDialog
      title={`New token for ${agent.name}`}
      about="Role, mode and what it asked for stay. The new token is shown once."
      deed="Make a new token"
      submit={() => onSubmit(grace)}
      onClose={onClose}
    >
      <GraceField label="The old token" grace={grace} onGrace={setGrace} />
    </SubmitDialog>
  );
};
