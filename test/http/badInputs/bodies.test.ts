/** Bad inputs: bodies of every POST. */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { head, raw, type RawReply } from '../../support/raw.ts';
import {
  authorization,
  badInputs,
  bytes,
  callerOf,
  change,
  clerk,
  count,
  create,
  posts,
  rawPost,
  refused,
  version,
  world,
} from './badInputs.ts';

badInputs(() => {
  describe('bodies of every POST', () => {
    let slow: Promise<RawReply>;
    before(() => {
      // Row 18 takes a while: it is begun here and looked at below.
      slow = raw(
        world.port,
        `${head('POST /api/env/demo/items HTTP/1.1', authorization(), 'content-type: application/json', 'content-length: 60')}{"inbox":"mail","title":"never finished"`,
      );
      slow.catch(() => undefined);
    });

    it('11: {', async () => {
      for (const { path } of posts())
        for (const text of ['{', '{"a":}', "{'a':1}", '{"a":1}}', 'undefined', '{"a":NaN}'])
          refused(await callerOf(path).post(path, undefined, { raw: text }), 400, 'bad_json');
    });

    it('12: an empty body, where something is required and where nothing is', async () => {
      for (const { path, required } of posts()) {
        for (const options of [{}, { raw: '' }, { raw: ' \n ' }] as const) {
          const reply = await callerOf(path).post(path, undefined, options);
          if (required) refused(reply, 400, 'bad_json');
          else expect(reply.body.code, `${path} ${reply.text}`).not.to.be.oneOf(['bad_json', 'invalid']);
        }
      }
    });

    it('13: [], "x", null, 1, true', async () => {
      for (const { path } of posts())
        for (const text of ['[]', '"x"', 'null', '1', 'true', '[{}]'])
          refused(await callerOf(path).post(path, undefined, { raw: text }), 400, 'invalid');
    });

    it('14: JSON as text/plain, a form, or nothing at all', async () => {
      for (const { path, body } of posts()) {
        for (const type of [
          'text/plain',
          'application/x-www-form-urlencoded',
          'multipart/form-data; boundary=x',
          'application/jsonp',
          'application/merge-patch+json',
          'text/json',
        ]) {
          const reply = await callerOf(path).post(path, body ?? {}, { headers: { 'content-type': type } });
          refused(reply, 415, 'unsupported_media_type');
        }
      }
      refused(await rawPost('/items', '{"inbox":"mail","title":"x"}'), 415, 'unsupported_media_type');
    });

    it('15: UTF-16, and bytes that are no UTF-8', async () => {
      for (const { path } of posts()) {
        refused(
          await rawPost(path, Buffer.from('{}', 'utf16le'), 'content-type: application/json; charset=utf-16'),
          [400, 415],
          'unsupported_media_type',
        );
        for (const wrong of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xc0, 0xaf]]) {
          refused(
            await rawPost(
              path,
              Buffer.from([0x7b, 0x22, ...wrong, 0x22, 0x3a, 0x31, 0x7d]),
              'content-type: application/json',
            ),
            [400, 415],
            'bad_json',
          );
        }
      }
      expect(
        (
          await rawPost(
            '/items',
            Buffer.from('{"inbox":"mail","title":"日本 😀"}'),
            'content-type: application/json; charset=UTF-8',
          )
        ).body.item.title,
      ).to.equal(Buffer.from('日本 😀').toString('latin1'));
    });

    it('16: a gzip body and a brotli bomb are not unpacked', async () => {
      const bomb = brotliCompressSync(Buffer.alloc(100 * 1024 * 1024), {
        params: { [constants.BROTLI_PARAM_QUALITY]: 2 },
      });
      const before = process.memoryUsage().rss;
      for (const { path } of posts()) {
        refused(
          await rawPost(path, gzipSync('{}'), 'content-type: application/json', 'content-encoding: gzip'),
          415,
          'unsupported_media_type',
        );
        refused(
          await rawPost(path, bomb, 'content-type: application/json', 'content-encoding: br'),
          415,
          'unsupported_media_type',
        );
      }
      expect(process.memoryUsage().rss - before).to.be.below(80 * 1024 * 1024);
    });

    it('17: one byte more than 1 MiB, and much more, announced or chunked', async () => {
      const before = await count();
      const mib = 1024 * 1024;
      const exactly = (size: number): string => `{"inbox":"mail","title":"x","data":{"a":"${'a'.repeat(size - 44)}"}}`;
      expect(exactly(mib)).to.have.length(mib);
      for (const { path } of posts())
        refused(
          await callerOf(path).post(path, undefined, { raw: exactly((path === '/bulk' ? 4 * mib : mib) + 1) }),
          413,
          'too_large',
        );
      refused(await clerk.post('/items', undefined, { raw: exactly(8 * mib) }), 413, 'too_large');
      const chunk = 'a'.repeat(64 * 1024);
      const chunked = `${head('POST /api/env/demo/items HTTP/1.1', authorization(), 'content-type: application/json', 'transfer-encoding: chunked')}${`10000\r\n${chunk}\r\n`.repeat(20)}0\r\n\r\n`;
      refused(await bytes(world.port, chunked), 413, 'too_large');
      refused(await clerk.post('/items', undefined, { raw: exactly(mib) }), 400, 'invalid', 'data');
      expect(await count()).to.equal(before);
    });

    it('18: five bytes of ten: the connection is closed within 30 s, and nothing happens', async () => {
      const reply = await slow;
      expect(reply.status).to.be.oneOf([0, 400, 408]);
      expect((await clerk.get('/items?search=never%20finished')).body.items).to.deep.equal([]);
    });

    it('19: content-length and chunked together', async () => {
      const before = await count();
      const body = '{"inbox":"mail","title":"smuggled"}';
      const reply = await bytes(
        world.port,
        `${head('POST /api/env/demo/items HTTP/1.1', authorization(), 'content-type: application/json', `content-length: ${String(body.length)}`, 'transfer-encoding: chunked')}${body}`,
      );
      refused(reply, 400, 'invalid');
      expect(await count()).to.equal(before);
    });

    it('82: an idempotency key that is empty, of 256 characters, or with control bytes', async () => {
      const ignoring = /^\/(?:available|ofrep\/v1\/.*)$/;
      for (const { path, body } of posts()) {
        for (const key of ignoring.test(path) ? [] : ['', 'x'.repeat(256), 'é'])
          refused(
            await callerOf(path).post(path, body ?? {}, { headers: { 'idempotency-key': key } }),
            400,
            'invalid',
            'idempotency-key',
          );
        refused(
          await rawPost(path, '{}', 'content-type: application/json', 'idempotency-key: a\u0001b'),
          400,
          'invalid',
        );
      }
    });

    it('83: a key again with another body, and while the first one runs', async () => {
      const options = { headers: { 'idempotency-key': 'row-83' } };
      const replies = await Promise.all([
        create({ title: 'first' }, options),
        create({ title: 'first' }, options),
        create({ title: 'other' }, options),
      ]);
      expect(replies.map((reply) => reply.status).sort((a, b) => a - b)).to.deep.equal([201, 201, 422]);
      expect((await clerk.get('/items?search=first')).body.items).to.have.length(1);
    });

    it('84: if-match of an old version, and malformed', async () => {
      const before = await version();
      for (const { path, body } of posts().filter(({ conditional }) => conditional)) {
        refused(
          await callerOf(path).post(path, body, {
            headers: { 'if-match': `"${String(path.startsWith('/flags') ? 999 : before - 1)}"` },
          }),
          412,
          'version_conflict',
        );
        for (const wrong of ['x', '"x"', 'w/"1"', 'W/1', '1', '""', '"1","2"', '*, *'])
          refused(
            await callerOf(path).post(path, body, { headers: { 'if-match': wrong } }),
            400,
            'invalid',
            'if-match',
          );
      }
      for (const { path, body } of posts().filter(({ conditional }) => !conditional))
        refused(
          await callerOf(path).post(path, body ?? {}, { headers: { 'if-match': '"1"' } }),
          400,
          'invalid',
          'if-match',
        );
      expect(await version()).to.equal(before);
      expect((await change('tags', { add: ['matched'] }, { headers: { 'if-match': '*' } })).status).to.equal(200);
    });
  });
});
