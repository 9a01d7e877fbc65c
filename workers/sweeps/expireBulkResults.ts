/** Takes results of bulks away once they were kept long enough: those of one environment, or whole months that none keeps. */
import { expireResults } from '../../shared/bulk/expireResults.ts';
import { presentTime } from './presentTime.ts';
import type { Sweep } from './sweep.ts';

export const expireBulkResults: Sweep = {
  name: 'expireBulkResults',
  everyMs: 600_000,
  run: async ({ db, clock, config, log }) => {
    const dropped = await expireResults(db, config.bulkResultsDays, await presentTime({ db, clock }));
    if (dropped > 0) log.info({ parts: dropped }, 'months of results of bulks that nobody keeps are dropped');
  },
};
