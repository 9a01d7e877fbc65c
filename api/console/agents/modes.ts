/** The modes of agents in plain words. Used by the settings of agents. */
import type { Agent } from '../wire/types.ts';

export const modes: readonly { readonly mode: Agent['mode']; readonly label: string; readonly about: string }[] = [
  { mode: 'supervised', label: 'Supervised', about: 'each change waits for a person’s approval' },
  { mode: 'normal', label: 'Normal', about: 'does what its role allows' },
  { mode: 'readonly', label: 'Read-only', about: 'changes nothing' },
];
