/** Pages of flags with many targets, of their history and of the audit log: they end before they are too much to send, and none is left out. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Client } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

const keys = ['alpha', 'alpha-2', 'alpha_1', 'beta', 'gamma', 'small'];
const manifest = { flags: keys.map((key) => ({ key, kind: 'boolean', default: false })) };
const targets = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, () => [randomBytes(40).toString('hex'), true]));
const changed = [1, 2, 3, 4];

describe('http: pages of large flags', () => {
  let world: World;
  let admin: Client;

  before(async () => {
    world = await newWorld({ manifest });
    admin = await world.person('admin');
    const change = async (flag: string, values: object): Promise<void> => {
      const reply = await admin.post(`/flags/${flag}`, { change: values });
      expect(reply.status, reply.text.slice(0, 200)).to.equal(200);
    };
    const many = { targets: targets(5_000) };
    for (const flag of keys) await change(flag, many);
    for (const rollout of changed) await change('small', { rollout, targets: { [`one-${String(rollout)}`]: true } });
    await change('small', { targets: Object.fromEntries(Object.keys(many.targets).map((id) => [id, null])) });
  });
  after(() => world.close());

  interface Walk {
    readonly pages: number;
    readonly rows: Readonly<Record<string, unknown>>[];
  }

  const walk = async (path: string, member: string): Promise<Walk> => {
    const rows = [];
    let pages = 0;
    for (let cursor: string | null = ''; cursor !== null; pages += 1) {
      const { body, text } = await admin.get(`${path}limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(text.length).to.be.below(2_000_000);
      expect(body[member]).to.not.deep.equal([]);
      rows.push(...body[member]);
      cursor = body.cursor;
    }
    return { pages, rows };
  };

  it('are short in the list of flags, which has each once, in the order of their keys', async () => {
    const { pages, rows } = await walk('/flags?', 'flags');
    expect(rows.map(({ flag }) => flag)).to.deep.equal([...keys].sort());
    expect(pages).to.be.within(2, keys.length - 1);
  });

  const rolloutsOf = ({ rows }: Walk): unknown[] =>
    rows.map(({ after: is }) => (is instanceof Object && 'rollout' in is ? is.rollout : null));
  const newestFirst = [null, 4, 3, 2, 1, null];

  it('are short in the history of a flag, which has each change once, newest first', async () => {
    const history = await walk('/flags/small/history?', 'entries');
    expect(rolloutsOf(history)).to.deep.equal(newestFirst);
    expect(history.pages).to.be.above(1);
  });

  it('are short in the audit log, by each way in which it finds entries', async () => {
    const ways = ['target=small', 'target=small&from=1', 'verb=flag.change&target=small&to=9000000000000'];
    for (const way of ways) {
      const audit = await walk(`/audit?${way}&`, 'entries');
      expect(rolloutsOf(audit), way).to.deep.equal(newestFirst);
      expect(audit.pages, way).to.be.above(1);
    }
    for (const way of ['verb=flag.change', 'from=1', 'actorKind=person&verb=flag.change']) {
      const { pages, rows } = await walk(`/audit?${way}&`, 'entries');
      const flags = rows.filter(({ verb }) => verb === 'flag.change');
      expect(new Set(flags.map(({ id }) => id)).size, way).to.equal(flags.length);
      expect(flags.length, way).to.equal(keys.length + changed.length + 1);
      expect(pages, way).to.be.above(1);
    }
  });
});
