/** Takes the ramp steps that are due. A step depends on the time alone: a late job catches up, a second one does nothing. */
import { takeDueRampSteps } from '../../shared/flags/rampSteps.ts';
import { done, type JobHandler } from '../handler.ts';

export const rampStep: JobHandler<'rampStep'> = async (_job, deps) => {
  await takeDueRampSteps(deps);
  return done();
};
