/** Takes the steps of ramps that are due; what they are depends on the time alone, so a late one catches up and a second one does nothing. */
import { stepDue } from '../../shared/flags/step.ts';
import { done, giveUp, type Handler } from '../handler.ts';

export const rampStep: Handler<'rampStep'> = async ({ env: number }, deps) => {
  const { directory } = deps;
  if (directory.environmentById(number) === undefined) await directory.refresh();
  const env = directory.environmentById(number);
  if (env === undefined) return giveUp('The environment of the flags is gone.');
  await stepDue(deps, env);
  return done();
};
