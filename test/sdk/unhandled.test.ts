/** Rejections that nobody handles: those of the SDK go to `onError` and leave the process alone, those of the app's own code don't. */
import { spawn } from 'node:child_process';
import { expect } from 'chai';
import { service } from './connected.ts';
import type { FakeService } from './fakeService.ts';

/** Runs a program with a client; resolves with its exit code, and with what it printed. */
const runProgram = (fake: FakeService, lines: string): Promise<{ code: number | null; out: string; err: string }> => {
  const program = `
    import { connect, defineApp } from '${new URL('../../shared/sdk/index.ts', import.meta.url).href}';
    const told = [];
    const client = connect({
      app: defineApp({}), url: ${JSON.stringify(fake.url)}, key: 'capp_test', onError: ({ message }) => told.push(message),
    });
    const report = (title) => client.report({ inbox: 'errors', title });
    ${lines}`;
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program]);
    const printed = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (piece: string) => void (printed.out += piece));
    child.stderr.setEncoding('utf8').on('data', (piece: string) => void (printed.err += piece));
    child.once('close', (code) => {
      resolve({ code, ...printed });
    });
  });
};

/** The service takes only reports with the title `good`. */
const choosy: FakeService['answers'] = {
  'items.report': ({ title }: { title: string }) =>
    title === 'good'
      ? { result: { item: 'itm_1', created: true } }
      : { error: { code: -32602, message: `No ${title}.`, data: { code: 'invalid' } } },
};

/** Ends the program once everything was reported. */
const end = `
    await client.close();
    setImmediate(() => setImmediate(() => console.log(JSON.stringify({ told, kept }))));`;

describe('sdk: rejections that nobody handles', () => {
  it('go to onError once, also from what then and finally make of a report, and never end the process', async () => {
    const fake = await service();
    fake.answers = choosy;
    const { code, out, err } = await runProgram(
      fake,
      `
    const kept = [];
    report('first').then(() => undefined);
    report('second').finally(() => undefined).then(() => undefined);
    const third = report('third');
    third.then(() => undefined);
    third.then(() => undefined);
    report('good').then(() => report('fourth'));
    await report('good');
    ${end}`,
    );
    expect(code, err).to.equal(0);
    expect(JSON.parse(out).told.sort()).to.deep.equal(['No first.', 'No fourth.', 'No second.', 'No third.']);
  });

  it('still reach who awaits or catches them, and then go nowhere else', async () => {
    const fake = await service();
    fake.answers = choosy;
    const { code, out, err } = await runProgram(
      fake,
      `
    const kept = [];
    await report('first').then(() => undefined).catch(({ message }) => kept.push(message));
    await report('second').finally(() => undefined).catch(({ message }) => kept.push(message));
    try { await report('third').then(() => undefined); } catch ({ message }) { kept.push(message); }
    await Promise.allSettled([report('fourth')]).then(([{ reason }]) => kept.push(reason.message));
    ${end}`,
    );
    expect(code, err).to.equal(0);
    expect(JSON.parse(out)).to.deep.equal({
      told: [],
      kept: ['No first.', 'No second.', 'No third.', 'No fourth.'],
    });
  });

  it('end the process when the app’s own code has thrown them', async () => {
    const fake = await service();
    const { code, err } = await runProgram(
      fake,
      `report('good').then(() => { throw new TypeError('a mistake of the app'); });`,
    );
    expect(code).to.equal(1);
    expect(err).to.include('a mistake of the app');
  });
});
