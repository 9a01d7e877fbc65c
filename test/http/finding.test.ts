/** `q` and `fields.<name>` of `GET /items` over HTTP: each text that an item has, and only what the role sees. */
import { expect } from 'chai';
import fc from 'fast-check';
import { readDocuments } from '../support/documented.ts';
import { withoutNames, type Client, type Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const properties = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, {}])),
});

const manifest = {
  inboxes: [
    { name: 'mail', reply: { via: 'app' }, fields: properties('body', 'plan', 'amount', 'late', 'more') },
    { name: 'bugs', fields: properties('stack', 'größe'), onOccurrence: { keep: 2 } },
    { name: 'moving', fields: properties('text'), onOccurrence: { keep: 3, update: true } },
    { name: 'secret', fields: properties('cipher') },
  ],
  views: [
    { name: 'team', inbox: 'mail', fields: { plan: 'team' } },
    { name: 'late', q: 'late', fields: { late: 'true' } },
    { name: 'coded', fields: { cipher: 'x' } },
  ],
};

describe('finding items over HTTP', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', [
      { on: 'inbox:mail', can: ['*'] },
      { on: 'inbox:bugs', can: ['see', 'note'] },
      { on: 'inbox:moving', can: ['see'] },
    ]);
    const documents = await readDocuments(world.base);
    admin = documents.of(await world.agent('admin'));
    clerk = documents.of(await world.agent('clerk'));
  });
  after(() => world.close());

  const make = async (body: object): Promise<string> => {
    const reply = await admin.post('/items', { inbox: 'mail', title: 'Untitled', ...body });
    expect(reply.status, reply.text).to.be.oneOf([200, 201]);
    return reply.body.item.id as string;
  };
  const get = async (client: Client, query: Record<string, string>): Promise<Reply> =>
    client.get(`/items?${new URLSearchParams(query).toString()}`);
  const idsIn = ({ status, body, text }: Reply): string[] => {
    expect(status, text).to.equal(200);
    return (body.items as { id: string }[]).map(({ id }) => id);
  };
  /** The items that are found while the index may still change: page and count are of two moments. */
  const foundMeanwhile = async (q: string): Promise<string[]> => idsIn(await get(clerk, { limit: '200', q }));
  const found = async (client: Client, query: Record<string, string> | string): Promise<string[]> => {
    const asked = typeof query === 'string' ? { q: query } : query;
    const reply = await get(client, { limit: '200', count: '1', ...asked });
    const ids = idsIn(reply);
    expect(reply.body.total, JSON.stringify(asked)).to.equal(ids.length);
    return ids;
  };

  it('looks into title and fields as soon as they are answered, and into occurrences, notes and replies within moments', async () => {
    const id = await make({
      key: 'k1',
      title: 'Zebra crossing',
      data: { body: 'A yak grazes', more: { deep: ['vulture'] } },
    });
    await make({ key: 'k1', title: 'Re: Walrus', data: { body: 'The xerus digs' } });
    expect((await admin.post(`/items/${id}/notes`, { text: 'Ask the quokka' })).status).to.equal(201);
    expect(
      (await admin.post(`/items/${id}/reply`, { subject: 'About narwhals', text: 'Our ocelot answers' })).status,
    ).to.equal(202);
    for (const word of ['zebra', 'YAK', 'vult']) expect(await found(clerk, word), word).to.deep.equal([id]);
    await world.indexed();
    for (const word of ['walrus', 'xer', 'quokka', 'narwhal', 'ocelot'])
      expect(await found(clerk, word), word).to.deep.equal([id]);
    expect(await found(clerk, 'zebra yak walrus quokka ocelot'), 'in texts of their own').to.deep.equal([id]);
    expect(await found(clerk, 'zebra gnu')).to.deep.equal([]);
    expect(await found(clerk, 'ebra')).to.deep.equal([]);
    expect(await found(clerk, { search: 'yak' }), 'search is the title’s').to.deep.equal([]);
    expect((await admin.post(`/items/${id}/state`, { state: 'waiting' })).status).to.equal(200);
    expect(await found(clerk, { q: 'quokka', state: 'waiting', inbox: 'mail', assignee: 'none' })).to.deep.equal([id]);
    expect(await found(clerk, { q: 'quokka', state: 'closed' })).to.deep.equal([]);
  });

  it('finds nothing of inboxes that the role doesn’t see', async () => {
    const hidden = await make({ inbox: 'secret', title: 'Okapi', data: { cipher: 'x' } });
    expect((await admin.post(`/items/${hidden}/notes`, { text: 'An axolotl' })).status).to.equal(201);
    await world.indexed();
    for (const word of ['okapi', 'axolotl']) {
      expect(await found(admin, word)).to.deep.equal([hidden]);
      expect(await found(clerk, word)).to.deep.equal([]);
    }
    expect(await found(admin, { 'fields.cipher': 'x' })).to.deep.equal([hidden]);
    const reply = await get(clerk, { 'fields.cipher': 'x' });
    expect(reply.status).to.equal(400);
    expect(reply.body.details[0].path).to.equal('fields.cipher');
    expect(reply.text).not.to.include('unknown');
    const unknown = await get(clerk, { 'fields.none': 'x' });
    const told = ({ text }: Reply): string => withoutNames(text).replace(/req_\w+/, '');
    expect(told(reply).replaceAll('cipher', 'none')).to.equal(told(unknown));
    expect(await found(clerk, { view: 'coded' })).to.deep.equal([]);
    expect(await found(admin, { view: 'coded' })).to.deep.equal([hidden]);
  });

  it('compares fields with strings, numbers and booleans as text, and nothing else', async () => {
    const team = await make({ title: 'F', data: { plan: 'team', amount: 12.5, late: true, more: { plan: 'free' } } });
    const free = await make({ title: 'F late', data: { plan: 'free', amount: 12, late: true, more: ['team'] } });
    const none = await make({ title: 'F', data: { plan: null, amount: '12', late: 'true' } });
    const size = await make({ inbox: 'bugs', title: 'F', data: { größe: 'groß & klein=1' } });
    expect(await found(clerk, { 'fields.plan': 'team' })).to.deep.equal([team]);
    expect(await found(clerk, { 'fields.plan': 'tea' })).to.deep.equal([]);
    expect(await found(clerk, { 'fields.plan': 'Team' })).to.deep.equal([]);
    expect(await found(clerk, { 'fields.plan': 'null' })).to.deep.equal([]);
    expect(await found(clerk, { 'fields.amount': '12' })).to.have.members([free, none]);
    expect(await found(clerk, { 'fields.amount': '12.5', 'fields.late': 'true' })).to.deep.equal([team]);
    expect(await found(clerk, { 'fields.late': 'true' })).to.have.members([team, free, none]);
    expect(await found(clerk, { 'fields.more': 'team' })).to.deep.equal([]);
    expect(await found(clerk, { 'fields.größe': 'groß & klein=1' })).to.deep.equal([size]);
    expect(await found(clerk, { 'fields.plan': 'free', q: 'late' })).to.deep.equal([free]);
    expect(await found(clerk, { view: 'team' })).to.deep.equal([team]);
    expect(await found(clerk, { view: 'team', 'fields.plan': 'free' }), 'beats the view’s').to.deep.equal([free]);
    expect(await found(clerk, { view: 'late' })).to.deep.equal([free]);
    const views = (await clerk.get('/views')).body.views as { name: string }[];
    expect(views.find(({ name }) => name === 'team')).to.deep.include({
      inbox: 'mail',
      q: null,
      fields: { plan: 'team' },
    });
  });

  it('names the parameter that is wrong', async () => {
    const refused = async (query: string, path: string): Promise<void> => {
      const reply = await clerk.get(`/items?${query}`);
      expect(reply.status, `${query}: ${reply.text}`).to.equal(400);
      expect(
        (reply.body.details as { path: string }[]).map((detail) => detail.path),
        query,
      ).to.deep.equal([path]);
    };
    await refused('q=', 'q');
    await refused('q=%20', 'q');
    await refused('q=%00', 'q');
    await refused(`q=${'a'.repeat(201)}`, 'q');
    await refused(`q=${'a+'.repeat(11)}`, 'q');
    await refused('q=a&q=b', 'q');
    await refused('q=%ff', 'q');
    await refused('fields.plan=a&fields.plan=b', 'fields.plan');
    await refused('fields.plan=%00', 'fields.plan');
    await refused('fields.=a', 'fields.');
    await refused('fields.__proto__=a', 'fields.__proto__');
    await refused(
      'fields.plan=a&fields.body=a&fields.amount=a&fields.late=a&fields.more=a&fields.stack=a',
      'fields.stack',
    );
    expect((await clerk.get('/items?q=%21%21%21')).status).to.equal(200);
    expect((await clerk.get('/items?q=%27%3A*%26%7C%5C')).status).to.equal(200);
    expect((await clerk.get('/items?fields.plan=')).status).to.equal(200);
  });

  it('counts the first 8 KiB of each text, cut between characters', async () => {
    const title = 'Eight';
    const at = await make({ title, data: { body: `${'x '.repeat(4093)}first gone` } });
    const of = await make({ title, data: { body: `${'ж'.repeat(4092)} буквы ${'ж'.repeat(20)}`, more: 'gone' } });
    expect(await found(clerk, 'eight firs')).to.deep.equal([at]);
    expect(await found(clerk, 'eight gone')).to.deep.equal([of]);
    expect(await found(clerk, 'eight бук')).to.deep.equal([of]);
    expect(await found(clerk, 'eight букв')).to.deep.equal([]);
    expect((await admin.post(`/items/${at}/notes`, { text: `${'y\n'.repeat(4091)}second third` })).status).to.equal(
      201,
    );
    await world.indexed();
    expect(await found(clerk, 'eight second')).to.deep.equal([at]);
    expect(await found(clerk, 'eight third')).to.deep.equal([]);
  });

  it('forgets the words of an occurrence that is not kept', async () => {
    const id = await make({ inbox: 'bugs', key: 'drop', title: 'Crash', data: { stack: 'original' } });
    await make({ inbox: 'bugs', key: 'drop', title: 'Crash', data: { stack: 'earlier' } });
    await world.indexed();
    expect(await found(clerk, 'earlier')).to.deep.equal([id]);
    for (const stack of ['middle', 'latest'])
      await make({ inbox: 'bugs', key: 'drop', title: 'Crash', data: { stack } });
    await until(
      'the words of dropped occurrences are gone',
      async () => (await foundMeanwhile('earlier')).length === 0,
    );
    await world.indexed();
    expect(await found(clerk, 'original middle latest'), 'the item’s own fields stay').to.deep.equal([id]);
  });

  it('follows an inbox whose occurrences replace the item’s content', async () => {
    const id = await make({ inbox: 'moving', key: 'm', title: 'Alpaca', data: { text: 'one' } });
    for (const [title, text] of [
      ['Bison', 'two'],
      ['Caiman', 'three'],
    ])
      await make({ inbox: 'moving', key: 'm', title, data: { text } });
    expect(await found(clerk, { 'fields.text': 'three' })).to.deep.equal([id]);
    expect(await found(clerk, { 'fields.text': 'one' })).to.deep.equal([]);
    await world.indexed();
    expect(await found(clerk, 'alpaca bison caiman'), 'all are kept').to.deep.equal([id]);
    await make({ inbox: 'moving', key: 'm', title: 'Dingo', data: { text: 'four' } });
    await until('the first is dropped', async () => (await foundMeanwhile('alpaca')).length === 0);
    await world.indexed();
    expect(await found(clerk, 'bison caiman dingo')).to.deep.equal([id]);
  });

  it('indexes what a release without the index has written', async () => {
    const id = await make({ key: 'old', title: 'Ibex', data: { body: 'jackal', plan: 'old' } });
    await make({ key: 'old', title: 'Re', data: { body: 'kudu' } });
    await admin.post(`/items/${id}/notes`, { text: 'lemur' });
    await admin.post(`/items/${id}/reply`, { subject: 'marmot', text: 'numbat' });
    const words = ['ibex', 'jackal', 'kudu', 'lemur', 'marmot', 'numbat'];
    await world.sql('delete from item_words where item = $1', [id]);
    await until('all is found', async () => {
      // Again each time, as a run of the sweep that is under way ends by writing how far it came.
      await world.sql('update item_words_progress set event = 0');
      return (await foundMeanwhile(words.join(' '))).includes(id);
    });
    expect(await found(clerk, words.join(' '))).to.deep.equal([id]);
    expect(await found(clerk, { 'fields.plan': 'old' })).to.deep.equal([id]);
  });

  const words = [
    'pay',
    'payment',
    'Refund',
    '#12',
    'a@b.de',
    'Straße',
    'cafe\u0301',
    '注文が',
    '!',
    "'",
    '&|',
    ':*',
    '\\',
  ];
  const text = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '));
  const texts = fc.record({
    inbox: fc.constantFrom('mail', 'bugs', 'secret'),
    title: text,
    body: fc.option(text),
    occurrence: fc.option(text),
    note: fc.option(text),
    reply: fc.option(text),
  });
  const fold = (whole: string): string => whole.normalize('NFKC').toUpperCase().toLowerCase();
  const withoutAccents = (folded: string): string => folded.normalize('NFD').replace(/\u{301}/gu, '');
  const parts = (whole: string): string[] =>
    [fold(whole), withoutAccents(fold(whole))]
      .flatMap((form) => form.split(/\s+/u))
      .flatMap((word) => [
        word,
        ...(word.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).flatMap((run) =>
          /\p{sc=Han}|\p{sc=Hiragana}/u.test(run) ? Array.from(run, (_, i) => run.slice(i)) : [run],
        ),
      ]);

  it('finds what a naive search through all texts finds, for each role', async () => {
    const others = await found(admin, {});
    const made: { id: string; inbox: string; texts: string[] }[] = [];
    for (const [n, one] of fc.sample(texts, 60).entries()) {
      const { inbox, title, body, occurrence, note, reply } = one;
      const field = inbox === 'mail' ? 'body' : inbox === 'bugs' ? 'stack' : 'cipher';
      const id = await make({ inbox, key: `r${String(n)}`, title, data: body === null ? {} : { [field]: body } });
      if (occurrence !== null) await make({ inbox, key: `r${String(n)}`, title: occurrence });
      if (note !== null) await admin.post(`/items/${id}/notes`, { text: note });
      if (reply !== null && inbox === 'mail') await admin.post(`/items/${id}/reply`, { subject: 'Q', text: reply });
      made.push({
        id,
        inbox,
        texts: [title, body, occurrence, note, inbox === 'mail' ? reply : null].filter((each) => each !== null),
      });
    }
    await world.indexed();
    const query = fc
      .array(
        fc.tuple(fc.constantFrom(...words), fc.nat(4)).map(([word, length]) =>
          Array.from(word)
            .slice(0, length + 1)
            .join(''),
        ),
        { minLength: 1, maxLength: 3 },
      )
      .map((some) => some.join(' '));
    for (const q of fc.sample(query, 120)) {
      const fits = made.filter((item) =>
        fold(q)
          .split(/\s+/u)
          .every((word) => item.texts.some((each) => parts(each).some((part) => part.startsWith(word)))),
      );
      for (const [client, seen] of [
        [admin, ['mail', 'bugs', 'secret']],
        [clerk, ['mail', 'bugs']],
      ] as const) {
        const expected = fits.filter(({ inbox }) => seen.includes(inbox as 'mail')).map(({ id }) => id);
        const answered = (await found(client, q)).filter((id) => !others.includes(id));
        expect(answered, `${q} as ${client === admin ? 'admin' : 'clerk'}`).to.have.members(expected);
      }
    }
  });
});
