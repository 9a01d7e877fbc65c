/** The modes of agents. Used by the settings of agents. */
import type { Agent } from '../wire/types.ts';

/** In the order in which they stand. */
export const modes = ['supervised', 'normal', 'readonly'] as const satisfies readonly Agent['mode'][];

/** Returns whether a text names a mode. */
export const isMode = (text: string): text is Agent['mode'] => modes.some((mode) => mode === text);
