/** The texts of the modes of agents. */
import type { Agent } from '../wire/types.ts';

interface ModeTexts {
  readonly label: string;
  readonly about: string;
  readonly isNow: (agent: string) => string;
  /** Of the confirmation before an agent gets more freedom by this mode. */
  readonly loosen: (agent: string) => string;
  readonly loosenAbout: string;
  readonly loosenDeed: string;
}

export const modeTexts: Readonly<Record<Agent['mode'], ModeTexts>> = {
  supervised: {
    label: 'Supervised',
    about: 'each change waits for a person’s approval',
    isNow: (agent) => `${agent} is supervised now.`,
    loosen: (agent) => `Let ${agent} ask for changes?`,
    loosenAbout: 'It can ask for what its role allows; a person decides about each change.',
    loosenDeed: 'Make it supervised',
  },
  normal: {
    label: 'Normal',
    about: 'does what its role allows',
    isNow: (agent) => `${agent} is normal now.`,
    loosen: (agent) => `Let ${agent} act without approval?`,
    loosenAbout: 'It changes at once what its role allows; nobody is asked before.',
    loosenDeed: 'Make it normal',
  },
  readonly: {
    label: 'Read-only',
    about: 'changes nothing',
    isNow: (agent) => `${agent} is read-only now.`,
    loosen: (agent) => `Let ${agent} read only?`,
    loosenAbout: 'It changes nothing.',
    loosenDeed: 'Make it read-only',
  },
};
