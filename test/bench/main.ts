/** `npm run bench`: the project, its limit and its peers in turn on the same servers; a table at the end (docs/performance.md). */
import { writeFileSync } from 'node:fs';
import { openBench, type Suite } from './bench.ts';
import { givenOptions } from './options.ts';
import { table, type Figure } from './report.ts';
import { actions } from './suites/actions.ts';
import { archives } from './suites/archives.ts';
import { bare } from './suites/bare.ts';
import { blocking } from './suites/blocking.ts';
import { bulk } from './suites/bulk.ts';
import { bulkQuery } from './suites/bulkQuery.ts';
import { change } from './suites/change.ts';
import { claims } from './suites/claims.ts';
import { combinations } from './suites/combinations.ts';
import { consoleSuite } from './suites/console.ts';
import { detail } from './suites/detail.ts';
import { fairness } from './suites/fairness.ts';
import { fanout } from './suites/fanout.ts';
import { flags } from './suites/flags.ts';
import { history } from './suites/history.ts';
import { jobs } from './suites/jobs.ts';
import { lists } from './suites/lists.ts';
import { outbox } from './suites/outbox.ts';
import { paths } from './suites/paths.ts';
import { raw } from './suites/raw.ts';
import { read } from './suites/read.ts';
import { records } from './suites/records.ts';
import { replicas } from './suites/replicas.ts';
import { shift } from './suites/shift.ts';
import { size } from './suites/size.ts';
import { summaries } from './suites/summaries.ts';
import { tracing } from './suites/tracing.ts';

const suites: readonly Suite[] = [
  bare,
  read,
  detail,
  lists,
  combinations,
  records,
  change,
  replicas,
  summaries,
  tracing,
  outbox,
  claims,
  bulk,
  bulkQuery,
  fairness,
  jobs,
  actions,
  fanout,
  blocking,
  raw,
  flags,
  shift,
  size,
  paths,
  history,
  archives,
  consoleSuite,
];

const main = async (): Promise<number> => {
  const options = givenOptions(suites.map(({ name }) => name));
  const started = Date.now();
  const bench = await openBench(options);
  const figures: Figure[] = [];
  try {
    for (const suite of suites) {
      if (options.only !== null && !options.only.includes(suite.name)) continue;
      bench.say(`${suite.name} …`);
      const found = await suite.run(bench);
      await bench.clear();
      figures.push(...found);
      bench.say(table(found));
    }
  } finally {
    await bench.close();
  }
  console.log(table(figures));
  bench.say(`measured in ${((Date.now() - started) / 60_000).toFixed(1)} minutes`);
  if (options.json !== null)
    writeFileSync(
      options.json,
      JSON.stringify(
        { at: new Date(started).toISOString(), node: process.version, items: options.items, figures },
        null,
        2,
      ),
    );
  return 0;
};

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
