/** Takes a step of a flag's ramp; what it is then depends on the time alone, so a late one catches up and a second one does nothing. */
import { stepRamp } from '../../shared/flags/step.ts';
import { again, done, giveUp, type Handler } from '../handler.ts';

export const rampStep: Handler<'rampStep'> = async ({ id, fence, env: number, payload: { flag, ramp } }, deps) => {
  const { directory } = deps;
  let env = directory.environmentById(number);
  // The flag may be declared anew, or newer than what this process has read.
  if (env?.definition.flags.get(flag)?.kind !== 'boolean') {
    await directory.refresh();
    env = directory.environmentById(number);
  }
  if (env === undefined) return giveUp('The environment of the flag is gone.');
  const next = await stepRamp(deps, env, { flag, ramp, job: { id, fence } });
  return next === null ? done() : again(next);
};
