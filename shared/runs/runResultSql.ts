/** The text that gives items of a bulk the outcome of the run that they wait for. Used by the statements of runs and of bulks. */
import { sqlList } from '../catalogue/states/machine.ts';
import { openRunStatuses } from '../catalogue/states/runs.ts';
import { bulkResultInsert } from '../platform/journal/inserts.ts';

/** `run` and `item` are the aliases in `from` of a row of `runs` and of an item with its `seq`. Runs that go on give nothing. */
export const runResultInsert = ({ run, item, from }: { run: string; item: string; from: string }): string =>
  bulkResultInsert(
    {
      bulk: `${run}.bulk`,
      seq: `${item}.seq`,
      item: `${item}.item`,
      outcome: `case when ${run}.status = 'succeeded' then 'changed' when ${run}.status = 'cancelled' then 'cancelled' else 'failed' end`,
      error: `${run}.error`,
      code: `nullif(${run}.status, 'succeeded')`,
    },
    { from, where: `${run}.status not in (${sqlList(openRunStatuses)})`, skipExisting: true },
  );
