/** Evaluated flags after PostgreSQL has failed over: what a process has read may be lost, under numbers that come again. */
import { expect } from 'chai';
import type { Client } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';
import { flagsManifest } from './manifest.ts';

describe('flags after a failover', () => {
  let world: World;
  let operator: Client;
  let app: Client;
  before(async () => {
    world = await newWorld({ manifest: flagsManifest, workers: false });
    operator = await world.agent('operator');
    app = await world.appKey();
  });
  after(() => world.close());

  const valueOf = async (flag: string): Promise<unknown> =>
    (await app.post(`/ofrep/v1/evaluate/flags/${flag}`, {})).body.value;
  const beginEpoch = async (): Promise<void> => {
    await world.sql('update environments set epoch = epoch + 100');
    await world.sql('update revisions set n = n + 100');
  };

  it('are read again, although version and transaction say that they are known', async () => {
    await operator.post('/flags/words', { change: { value: 'lost' } });
    await operator.post('/flags/checkout', { change: { value: true } });
    await until(
      'they are known',
      async () => (await valueOf('words')) === 'lost' && (await valueOf('checkout')) === true,
    );
    // As they are on a server that never had these changes, and has made another one since.
    await world.sql(`update flags set value = '"kept"', changed = '3' where key = 'words'`);
    await world.sql("delete from flags where key = 'checkout'");
    await beginEpoch();
    await until('the other value is known', async () => (await valueOf('words')) === 'kept');
    expect(await valueOf('checkout')).to.equal(false);
  });
});
