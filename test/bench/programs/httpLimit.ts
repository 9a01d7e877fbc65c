/** The least that an HTTP answer costs: node:http, and Koa and Fastify without anything, saying hello. */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import Koa from 'koa';
import { answerCalls } from '../ipc.ts';

const body = '{"hello":"world"}';
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': String(body.length) };

const plain = createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
const koa = new Koa();
koa.use((ctx) => {
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = body;
});

/** As much of Fastify as is used. */
interface Fastify {
  get(
    path: string,
    answer: (request: unknown, reply: { type(type: string): { send(body: string): unknown } }) => unknown,
  ): void;
  listen(at: { readonly port: number; readonly host: string }): Promise<unknown>;
}

const startFastify = async ({ port, folder }: { port: number; folder: string }): Promise<void> => {
  const { fastify } = createRequire(join(folder, 'package.json'))('fastify') as { fastify(): Fastify };
  const server = fastify();
  server.get('/', (_request, reply) => reply.type('application/json; charset=utf-8').send(body));
  await server.listen({ port, host: '127.0.0.1' });
};

answerCalls({
  fastify: startFastify,
  plain: (port: number) => new Promise<void>((resolve) => void plain.listen(port, '127.0.0.1', resolve)),
  koa: (port: number) => new Promise<void>((resolve) => void koa.listen(port, '127.0.0.1', resolve)),
});
