/** The cost of traces: changes of items over HTTP with a collector beside, against the same without traces. */
import { freePort } from '../../../shared/tools/services/ports.mjs';
import { inTurn, type Api, type Bench, type Costed, type Suite } from '../bench.ts';
import { costs, rate, times } from '../measured.ts';
import { atLeast, type Figure } from '../report.ts';
import { changing, itemsToChange } from '../requests.ts';

const callers = 64;

const measure = async (bench: Bench) => {
  const { database } = bench;
  const { token } = await database.token('admin');
  const port = await freePort();
  const collector = await bench.start('collector');
  await collector.call('start', { port });
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${String(port)}` };
  const [off, all, tenth] = await Promise.all([
    bench.api(),
    bench.api(traced),
    bench.api({ ...traced, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' }),
  ]);
  const changes = (api: Api) => async () => {
    await database.sql('truncate outbox, stream_parts');
    return bench.loadCosting(api, {
      port: api.port,
      connections: callers,
      requests: changing(token, await itemsToChange(database), false),
    });
  };
  const found = await inTurn(bench.options.rounds, { off: changes(off), all: changes(all), tenth: changes(tenth) });
  return { ...found, spans: await collector.call<number>('spans') };
};

export const tracing: Suite = {
  name: 'tracing',
  run: async (bench) => {
    const { off, all, tenth, spans } = await measure(bench);
    const row = (what: string, own: readonly Costed[]): Figure => ({
      suite: 'tracing',
      what,
      unit: '/s',
      ...atLeast(rate(own), rate(off), 0.95),
      note: `p50/p99 ms: on ${times(own)}, off ${times(off)}; CPU: on ${costs(own)}, off ${costs(off)}`,
    });
    bench.say(`the collector got ${String(spans)} spans`);
    return [row('change one item, 64 callers, every request traced', all), row('the same, a tenth traced', tenth)];
  },
};
