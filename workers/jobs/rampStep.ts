/** Takes the steps of ramps that are due; what they are depends on the time alone, so a late one catches up and a second one does nothing. */
import { stepDue } from '../../shared/flags/step.ts';
import { done, type Handler } from '../handler.ts';

export const rampStep: Handler<'rampStep'> = async (_job, deps) => {
  await stepDue(deps);
  return done();
};
