/** `client.on('flag')`: each change of a flag once, also of what changed while the connection was gone. */
import { expect } from 'chai';
import { defineApp, type ChangedFlag } from '../../shared/sdk/index.ts';
import { until } from '../support/until.ts';
import { connected, service } from './connected.ts';

const flag = (key: string, version: number, value: unknown): Partial<ChangedFlag> => ({
  flag: key,
  kind: 'number',
  version,
  value,
  rollout: null,
  targets: {},
  rules: [],
});

describe('sdk: the flag event', () => {
  it('fires after a reconnect for what changed meanwhile, and for nothing else', async () => {
    const fake = await service();
    let flags = [flag('same', 1, 1), flag('version', 1, 1), flag('value', 1, 1), flag('told', 1, 1)];
    fake.answers = { 'flags.list': () => ({ result: { flags, cursor: null } }) };
    const { client } = connected(fake, defineApp({}));
    const told: unknown[] = [];
    client.on('flag', ({ flag: key, version, value }) => told.push([key, version, value, client.flags.number(key, 0)]));
    const first = await fake.registered();
    await client.flags.ready;
    fake.notify('flags.changed', { flag: flag('told', 2, 2) });
    await until('it is told', () => told.length === 1);

    flags = [flag('same', 1, 1), flag('version', 2, 1), flag('value', 1, 7), flag('told', 2, 2), flag('new', 1, 5)];
    first.terminate();
    await until('the changes are told', () => told.length === 4);
    fake.notify('flags.changed', { flag: flag('told', 1, 9) });
    fake.notify('flags.changed', { flag: flag('value', 1, 7) });
    fake.notify('flags.changed', { flag: flag('last', 1, 3) });
    await until('the last one', () => told.length === 5);
    expect(told).to.deep.equal([
      ['told', 2, 2, 2],
      ['version', 2, 1, 1],
      ['value', 1, 7, 7],
      ['new', 1, 5, 5],
      ['last', 1, 3, 3],
    ]);
  });
});
