/** The texts of what a change of a flag ends: beforehand, on the button, and afterwards. */
export const endingTexts = {
  everybody: 'everybody',
  nobody: 'nobody',
  /** `to`: everybody, nobody or a percentage. */
  moves: (from: string, to: string) => `from ${from} to ${to} at once`,
  moved: (from: string, to: string) => `from ${from} to ${to}`,
  stays: (at: string) => `it stays on for ${at}`,
  /** `move`: one of those above. */
  ramp: {
    will: (move: string) => `Ends the ramp: ${move}.`,
    deed: 'End the ramp and save',
    done: (move: string) => `ramp ended (${move})`,
  },
  guardedRamp: {
    will: (move: string) => `Ends the ramp and its guard: ${move}.`,
    deed: 'End the ramp and save',
    done: (move: string) => `ramp and guard ended (${move})`,
  },
  guard: {
    will: (move: string) => `Ends the watch of the ramp’s guard: ${move}.`,
    deed: 'End the guard and save',
    done: (move: string) => `guard ended (${move})`,
  },
  rollout: {
    will: (move: string) => `Ends the rollout: ${move}.`,
    deed: 'End the rollout and save',
    done: (move: string) => `rollout ended (${move})`,
  },
};
