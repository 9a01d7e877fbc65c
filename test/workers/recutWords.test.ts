/** Items and records whose words the release before has cut are found meanwhile, and by the words of this one once sweeps have cut them anew. */
import { expect } from 'chai';
import { recutNextTexts } from '../../shared/items/recutWords.ts';
import type { Client } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  resources: [{ name: 'customer', source: 'stored' }],
  inboxes: [{ name: 'mail', fields: { type: 'object', properties: { body: {} } } }],
};

/** What the release before makes of the texts below. */
const formerWords =
  'straße <ana@example.com> ana example com (#42) 42 don’t don t plain ｆｕｌｌ café 전액환불요청 “late” late'.split(
    ' ',
  );

describe('words of the release before', () => {
  let world: World;
  let admin: Client;

  before(async () => {
    world = await newWorld({ manifest });
    admin = await world.agent('admin');
  });
  after(() => world.close());

  const found = async (parameter: 'q' | 'search', text: string): Promise<string[]> => {
    const reply = await admin.get(`/items?${new URLSearchParams({ [parameter]: text }).toString()}`);
    expect(reply.status, reply.text).to.equal(200);
    return (reply.body.items as { id: string }[]).map(({ id }) => id);
  };
  const make = async (title: string, body: string): Promise<string> =>
    (await admin.post('/items', { inbox: 'mail', title, data: { body } })).body.item.id as string;

  /** Leaves of each row only what the release before would have written. */
  const asBefore = async (): Promise<void> => {
    await world.sql(
      `update item_words set words = (select coalesce(array_to_tsvector(array_agg(l)), '') from unnest(tsvector_to_array(words)) l
         where substr(l, strpos(l, '.') + 4, 1) = 'f' or substr(l, strpos(l, '.') + 5) = any ($1))`,
      [formerWords],
    );
    await world.sql(
      `update items set terms = (select array_to_tsvector(array_agg(l)) from unnest(tsvector_to_array(terms)) l
         where substr(l, strpos(l, '.') + 8, 1) <> 'w' or substr(l, strpos(l, '.') + 9) = any ($1))`,
      [formerWords],
    );
  };
  const walkAgain = (walks: number, at: number | null): Promise<unknown> =>
    world.sql('update item_words_progress set recut_walks = $1, recut_at = $2, recut_place = null', [walks, at]);

  it('are found until all are cut anew, and so are those of this release from then on', async () => {
    const titled = await make('Straße don’t (#42) <ana@example.com>', 'plain');
    const noted = await make('plain', '전액환불요청 ｆｕｌｌ');
    expect((await admin.post(`/items/${noted}/notes`, { text: 'plain “late” café' })).status).to.equal(201);
    await world.indexed();
    await until(
      'the first walk has ended',
      async () => (await world.sql<{ n: number }>('select recut_walks as n from item_words_progress'))[0]?.n !== 0,
    );
    await asBefore();
    const [{ version } = { version: 0 }] = await world.sql<{ version: number }>(
      'select max(version) as version from items',
    );
    const before: readonly [string, string][] = [
      ['straße', titled],
      ['don’t', titled],
      ['<ana@example.com>', titled],
      ['전액환불요', noted],
      ['ｆｕｌ', noted],
      ['“late”', noted],
      ['café', noted],
    ];
    for (const [word, id] of before) expect(await found('q', word), word).to.deep.equal([id]);
    expect(await found('search', 'straße don’t')).to.deep.equal([titled]);
    const now: readonly [string, string][] = [
      ['STRASSE', titled],
      ["don't", titled],
      ['#42', titled],
      ['ana@example', titled],
      ['환불', noted],
      ['full', noted],
      ['"late"', noted],
      ['cafe', noted],
    ];
    for (const [word] of now.filter(([one]) => one !== '"late"'))
      expect(await found('q', word), word).to.deep.equal([]);
    await walkAgain(0, null);
    await until('all are cut anew', async () => (await found('search', 'strasse')).length === 1);
    await until('further texts too', async () => (await found('q', 'cafe')).length === 1);
    for (const [word, id] of [...before, ...now]) expect(await found('q', word), word).to.deep.equal([id]);
    expect(await found('search', "strasse don't #42 ana@example.com")).to.deep.equal([titled]);
    const [after] = await world.sql<{ version: number }>('select max(version) as version from items');
    expect(after?.version, 'no change of an item').to.equal(version);
  });

  it('are cut anew once more a day later, as the release before may have written meanwhile, and then no more', async () => {
    const { db, clock } = world.deps;
    const walked = async (): Promise<void> => {
      while (await recutNextTexts(db, clock.now()));
    };
    await until('the walk has ended', async () =>
      (
        await world.sql<{ place: unknown; n: number }>(
          'select recut_walks as n, recut_place as place from item_words_progress',
        )
      ).every(({ n, place }) => n === 1 && place === null),
    );
    await asBefore();
    await walked();
    expect(await found('q', 'strasse')).to.deep.equal([]);
    await walkAgain(1, clock.now() - 86_400_000);
    await until('it is cut anew', async () => (await found('q', 'strasse')).length === 1);
    await until(
      'the second walk has ended',
      async () => (await world.sql<{ n: number }>('select recut_walks as n from item_words_progress'))[0]?.n === 2,
    );
    await asBefore();
    await walkAgain(2, 0);
    await walked();
    expect(await found('q', 'strasse')).to.deep.equal([]);
  });
});
