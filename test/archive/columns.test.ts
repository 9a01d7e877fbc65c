/** The columns of archives: a file is what it was, whichever columns the tables get after it. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { runAdmin } from '../../shared/tools/cli/run.ts';
import { monthBefore, newPastWorld, sweepPast } from '../support/past.ts';
import type { World } from '../support/world.ts';

interface Header {
  readonly columns?: { readonly events: readonly string[]; readonly ranges: readonly string[] };
  readonly digest: string;
}

describe('the columns of archives', () => {
  let world: World;
  let folder: string;
  let file: string;

  const command = async (...words: string[]): Promise<string> => {
    const { exitCode, text } = await runAdmin(words, {
      readConfig: () => world.config,
      readInput: () => Promise.resolve(''),
    });
    return `${String(exitCode)}: ${text}`;
  };
  const archive = async (): Promise<void> => {
    const said = await command('archive', '--before', monthBefore(3), '--to', folder, '--json');
    const { archives } = JSON.parse(said.slice(3)) as { archives: { file: string }[] };
    file = archives[0]?.file ?? '';
  };
  const restore = async (): Promise<void> => {
    expect(await command('archive', 'verify', file)).to.match(/^0: .*holds$/s);
    expect(await command('archive', 'restore', file)).to.match(/^0: .*is back/s);
  };
  const headerOf = (text: string): Header => JSON.parse(text.slice(0, text.indexOf('\n'))) as Header;
  /** Writes the file with another header, as if it had been archived with that. */
  const rewrite = async (change: (header: Header) => object): Promise<void> => {
    const text = gunzipSync(readFileSync(file)).toString();
    const changed = gzipSync(`${JSON.stringify(change(headerOf(text)))}${text.slice(text.indexOf('\n'))}`);
    writeFileSync(file, changed);
    await world.sql('update archives set sha256 = $1', [createHash('sha256').update(changed).digest('hex')]);
  };
  const past = (columns: string): Promise<object[]> =>
    world.sql(
      `select ${columns} from events where id < (select starts from event_turns order by starts offset 1 limit 1) order by id`,
    );

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'archive-columns-'));
    ({ world } = await newPastWorld());
  });
  afterEach(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are named by the file, which holds and is restored after the tables got others', async () => {
    const before = await past('*');
    await archive();
    await world.sql(`
      alter table events add column shade text;
      alter table events add column weight int not null default 7;
      alter table audit_chain add column grade int not null default 3;
    `);
    await restore();
    const added = await past('*');
    expect(added.length).to.equal(before.length);
    expect(added).to.deep.equal(before.map((row) => ({ ...row, shade: null, weight: 7 })));
    await sweepPast(world);
    rmSync(file);
    await archive();
    expect(headerOf(gunzipSync(readFileSync(file)).toString()).columns?.events).to.include.members(['shade', 'weight']);
    await restore();
    expect(await past('*')).to.deep.equal(added);
  });

  it('of a file that names none are those that there were when files named none', async () => {
    await archive();
    const [, ...lines] = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');
    const events = lines.filter((line) => !line.startsWith('{"range"'));
    const [whole] = await world.sql<{ digest: string }>(
      'select sum(hashtextextended(row_to_json(e)::text, 0))::text as digest from json_populate_recordset(null::events, $1) e',
      [`[${events.join(',')}]`],
    );
    await rewrite(({ columns: _, ...former }) => {
      expect(former.digest).to.equal(whole?.digest);
      return former;
    });
    await world.sql('alter table events add column shade text');
    await restore();
  });

  it('that the database has not are named', async () => {
    await archive();
    await rewrite((header) => ({
      ...header,
      columns: { ...header.columns, events: [...(header.columns?.events ?? []), 'later'] },
    }));
    for (const verb of ['verify', 'restore'])
      expect(await command('archive', verb, file)).to.match(
        /^1: .*has columns that this database has not \(later\): a newer version has written it/s,
      );
  });
});
