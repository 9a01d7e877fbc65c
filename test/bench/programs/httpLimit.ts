/** The least that an HTTP answer costs: node:http, and Koa without anything, saying hello. */
import { createServer } from 'node:http';
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

answerCalls({
  plain: (port: number) => new Promise<void>((resolve) => void plain.listen(port, '127.0.0.1', resolve)),
  koa: (port: number) => new Promise<void>((resolve) => void koa.listen(port, '127.0.0.1', resolve)),
});
