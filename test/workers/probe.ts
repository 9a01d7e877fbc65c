/** The job that the tests of workers run, instead of the service's own. */
import type { JobTable } from '../../workers/handler.ts';

export const probeJobs: JobTable = { probe: { queue: 'probe', concurrency: 4, retries: 3 } };
