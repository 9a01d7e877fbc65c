/** Takes the steps of ramps that are due; what they are depends on the time alone, so a late one catches up and a second one does nothing. */
import { takeDueRampSteps } from '../../shared/flags/rampSteps.ts';
import { done, type JobHandler } from '../handler.ts';

export const rampStep: JobHandler<'rampStep'> = async (_job, deps) => {
  await takeDueRampSteps(deps);
  return done();
};
