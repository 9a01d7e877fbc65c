/** The texts of the modes of agents. */
import type { Agent } from '../wire/types.ts';

interface ModeTexts {
  readonly label: string;
  readonly about: string;
  readonly isNow: (agent: string) => string;
}

export const modeTexts: Readonly<Record<Agent['mode'], ModeTexts>> = {
  supervised: {
    label: 'Supervised',
    about: 'each change waits for a person’s approval',
    isNow: (agent) => `${agent} is supervised now.`,
  },
  normal: {
    label: 'Normal',
    about: 'does what its role allows',
    isNow: (agent) => `${agent} is normal now.`,
  },
  readonly: {
    label: 'Read-only',
    about: 'changes nothing',
    isNow: (agent) => `${agent} is read-only now.`,
  },
};
