/** Claiming the next item, 32 callers of many agents, against setting the state of items by as many callers in the same run. */
import { inTurn, type Bench, type Suite } from '../bench.ts';
import { environment } from '../database.ts';
import { costs, rate, times } from '../measured.ts';
import { median } from '../numbers.ts';
import { atMost } from '../report.ts';
import { changing, itemsToChange, post } from '../requests.ts';

const callers = 32;
/** Agents among whom the claims go round, as one holds 100 at most. */
const agents = 400;
/** p50 of a claim by that of a state change. */
const most = 1.3;

const measure = async ({ database, options, ...bench }: Bench) => {
  const api = await bench.api();
  const { token } = await database.token('admin');
  const tokens: string[] = [];
  for (let n = 0; n < agents; n++) tokens.push((await database.token('admin')).token);
  const texts = tokens.map((each) => post(`/api/env/${environment}/items/claim`, each, '{}'));
  const send = (requests: Parameters<Bench['loadCosting']>[1]['requests']) =>
    bench.loadCosting(api, { port: api.port, connections: callers, requests });
  return inTurn(options.rounds, {
    claim: async () => {
      await database.sql('truncate outbox, stream_parts');
      await database.sql('update items set claim = null where claim is not null');
      return send({ kind: 'texts', texts });
    },
    change: async () => {
      await database.sql('truncate outbox, stream_parts');
      return send(changing(token, await itemsToChange(database)));
    },
  });
};

export const claims: Suite = {
  name: 'claims',
  run: async (bench) => {
    const { claim, change } = await measure(bench);
    const p50 = (rounds: typeof claim): number => median(rounds.map((round) => round.p50));
    return [
      {
        suite: 'claims',
        what: `claim the next item, ${String(callers)} callers: p50 by that of a state change`,
        unit: '×',
        ...atMost(p50(claim) / p50(change), most, '×'),
        note: `claims ${rate(claim).toFixed(0)}/s, p50/p99 ms ${times(claim)}, CPU ${costs(claim)}; changes ${rate(change).toFixed(0)}/s, ${times(change)}, ${costs(change)}`,
      },
    ];
  },
};
