/** Bad inputs: POST /items. */
import { expect } from 'chai';
import { badInputs, change, clerk, create, createRaw, item, refused } from './badInputs.ts';

badInputs(() => {
  describe('POST /items', () => {
    const nested = (depth: number, open: string, close: string): string =>
      open.repeat(depth) + (open === '[' ? '' : '1') + close.repeat(depth);

    it('20: data nested 33, 5,000 and 100,000 levels deep', async () => {
      for (const depth of [33, 5_000, 100_000]) {
        for (const data of [nested(depth, '{"a":', '}'), `{"a":${nested(depth - 1, '[', ']')}}`])
          refused(await createRaw(`{"inbox":"mail","title":"x","data":${data}}`), 400, 'invalid');
      }
      const details = (await createRaw(`{"inbox":"mail","title":"x","data":${nested(40, '{"a":', '}')}}`)).body
        .details as { path: string }[];
      expect(details[0]?.path).to.match(/^data\.a\.a/);
    });

    it('21: 10,001 keys in data', async () => {
      refused(
        await create({ data: Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`k${String(i)}`, i])) }),
        400,
        'invalid',
        'data',
      );
      refused(
        await create({
          data: { a: Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${String(i)}`, 1])) },
        }),
        400,
        'invalid',
        'data',
      );
    });

    it('22: __proto__ in data', async () => {
      for (const json of ['{"__proto__":{"admin":true}}', '{"a":[{"__proto__":null}]}']) {
        const reply = await createRaw(`{"inbox":"mail","title":"x","data":${json}}`);
        refused(reply, 400, 'invalid');
        expect(reply.body.details[0].path).to.match(/^data\..*__proto__$/);
      }
      refused(await createRaw('{"inbox":"mail","title":"x","__proto__":{"admin":true}}'), 400, 'invalid', '__proto__');
    });

    it('23: constructor.prototype in data', async () => {
      const reply = await createRaw(
        '{"inbox":"mail","title":"x","data":{"constructor":{"prototype":{"x":1}},"hasOwnProperty":1,"toString":null}}',
      );
      expect(reply.status).to.equal(201);
      expect(JSON.parse(JSON.stringify(reply.body.item.fields))).to.deep.equal({
        constructor: { prototype: { x: 1 } },
        hasOwnProperty: 1,
        toString: null,
      });
      expect((await clerk.get(`/items/${String(reply.body.item.id)}`)).body.item).to.deep.equal(reply.body.item);
    });

    it('24 to 26: NUL characters and lone surrogates', async () => {
      for (const bad of ['\\u0000', '\\ud800', '\\udc00x', 'a\\u0000b']) {
        refused(await createRaw(`{"inbox":"mail","title":"a${bad}"}`), 400, 'invalid', 'title');
        refused(await createRaw(`{"inbox":"mail","title":"x","data":{"a":["${bad}"]}}`), 400, 'invalid', 'data.a.0');
        refused(await createRaw(`{"inbox":"mail","title":"x","data":{"${bad}":1}}`), 400, 'invalid');
        refused(await createRaw(`{"inbox":"mail","title":"x","tags":["${bad}"]}`), 400, 'invalid', 'tags.0');
        refused(await createRaw(`{"inbox":"mail","title":"x","key":"${bad}","user":"u"}`), 400, 'invalid', 'key');
      }
      expect((await createRaw('{"inbox":"mail","title":"\\ud83d\\ude00"}')).body.item.title).to.equal('😀');
    });

    it('27: titles of 501 characters, none, only spaces; signs that nobody sees are left out', async () => {
      for (const title of ['x'.repeat(501), '', '   ', '\n\t'])
        refused(await create({ title }), 400, 'invalid', 'title');
      const kept = { '\u202Egnp.exe': 'gnp.exe', '\u0001\u001b[31m': '[31m', 'a"\\/\b': 'a"\\/' };
      for (const [title, stored] of Object.entries({ ...kept, '<script>': '<script>' }))
        expect((await create({ title })).body.item.title).to.equal(stored);
    });

    it('28: numbers that can’t be kept', async () => {
      for (const number of ['1e400', '-1e400', '9007199254740993', '-9007199254740992', '1e300'])
        refused(await createRaw(`{"inbox":"mail","title":"x","data":{"n":${number}}}`), 400, 'invalid', 'data.n');
      for (const number of ['9007199254740991', '-0', '1.5e-300', '0.1']) {
        const { body } = await createRaw(`{"inbox":"mail","title":"x","data":{"n":${number}}}`);
        expect((await clerk.get(`/items/${String(body.item.id)}`)).body.item.fields.n).to.equal(Number(number) + 0);
      }
    });

    it('29: members that the service sets', async () => {
      for (const more of [
        { id: item.id },
        { state: 'closed' },
        { createdAt: 1 },
        { assignee: null },
        { version: 9 },
        { dueAt: 1 },
        { triaged: true },
      ]) {
        refused(await create(more), 400, 'invalid', ...Object.keys(more));
      }
    });

    it('30: an unknown and a hidden inbox', async () => {
      const [unknown, hidden] = [await create({ inbox: 'nosuch' }), await create({ inbox: 'secret' })];
      refused(unknown, 404, 'not_found');
      expect(hidden.text).to.equal(unknown.text);
      refused(await create({ inbox: '__proto__' }), 400, 'invalid', 'inbox');
      refused(await create({ inbox: 'constructor' }), 404, 'not_found');
    });

    it('31: a key twice', async () => {
      refused(await createRaw('{"inbox":"secret","inbox":"mail","title":"x"}'), 400, 'bad_json', 'inbox');
      refused(await createRaw('{"inbox":"mail","inbox":"secret","title":"x"}'), 400, 'bad_json', 'inbox');
      refused(await createRaw('{"inbox":"mail","title":"","title":"y"}'), 400, 'bad_json', 'title');
    });

    it('more: texts that a pattern could take forever over', async () => {
      const long = 'a'.repeat(900_000);
      refused(await change('tags', { add: [`${long},`] }), 400, 'invalid', 'add.0');
      refused(await change('reply', { subject: `${long}\n`, text: 'x' }), 400, 'invalid', 'subject');
      refused(await create({ tags: [`${long},`] }), 400, 'invalid', 'tags.0');
      refused(await create({ title: ' '.repeat(900_000) }), 400, 'invalid', 'title');
      refused(await change('assign', { assignee: long }), 400, 'invalid', 'assignee');
    });

    it('more: half a million wrong values', async () => {
      refused(
        await clerk.post(`/items/${item.id}/tags`, undefined, { raw: `{"add":[${'1,'.repeat(500_000)}1]}` }),
        400,
        'invalid',
        'add',
      );
      refused(
        await clerk.post('/bulk', undefined, {
          raw: `{"ids":[${'1,'.repeat(500_000)}1],"operation":{"type":"state","state":"open"}}`,
        }),
        400,
        'invalid',
        'ids',
      );
      const reply = await clerk.post('/items', undefined, {
        raw: `{"inbox":"mail","title":"x",${Array.from({ length: 60_000 }, (_, i) => `"k${String(i)}":1`).join(',')}}`,
      });
      refused(reply, 400, 'invalid');
      expect(reply.text.length).to.be.below(10_000);
    });

    it('more: an error never repeats a megabyte', async () => {
      const reply = await clerk.post('/items', undefined, {
        raw: `{"inbox":"mail","title":"x","${'k'.repeat(900_000)}":1}`,
      });
      refused(reply, 400, 'invalid');
      expect(reply.text.length).to.be.below(10_000);
    });
  });
});
