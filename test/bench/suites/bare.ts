/** A bare request: GET /me through everything that every request goes through, against node:http, Koa and Fastify saying hello. */
import { freePort } from '../../../shared/tools/services/ports.mjs';
import { inTurn, type Suite } from '../bench.ts';
import { environment } from '../database.ts';
import type { Program } from '../ipc.ts';
import { costs, rate } from '../measured.ts';
import { peer } from '../report.ts';
import { get } from '../requests.ts';

export const bare: Suite = {
  name: 'bare',
  run: async (bench) => {
    const { token } = await bench.database.token('admin');
    const [api, limit, folder, plainPort, koaPort, fastifyPort] = await Promise.all([
      bench.api(),
      bench.start('httpLimit'),
      bench.peer('fastify'),
      freePort(),
      freePort(),
      freePort(),
    ]);
    await limit.call('plain', plainPort);
    await limit.call('koa', koaPort);
    if (folder !== null) await limit.call('fastify', { port: fastifyPort, folder });
    const connections = 32;
    const fetching = (program: Program, port: number, text: string) => () =>
      bench.loadCosting(program, { port, connections, requests: { kind: 'texts', texts: [text] } });
    const found = await inTurn(bench.options.rounds, {
      ours: fetching(api, api.port, get(`/api/env/${environment}/me`, token)),
      plain: fetching(limit, plainPort, get('/')),
      koa: fetching(limit, koaPort, get('/')),
      fastify: folder === null ? null : fetching(limit, fastifyPort, get('/')),
    });
    const [ours, plain, koa] = [rate(found.ours), rate(found.plain), rate(found.koa)];
    return [
      {
        suite: 'bare',
        what: 'bare request (GET /me), 32 connections',
        unit: '/s',
        ours,
        limit: plain,
        peers: [{ name: 'koa alone', value: koa }, ...peer('fastify alone', found.fastify, rate)],
        goal: '≥ 0.5 × koa',
        met: ours >= 0.5 * koa,
        note: `CPU: ours ${costs(found.ours)}, limit ${costs(found.plain)}, koa ${costs(found.koa)}`,
      },
    ];
  },
};
