/** A collector of traces that counts them and keeps nothing. */
import { createServer } from 'node:http';
import { answerCalls } from '../ipc.ts';

let spans = 0;
const server = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => {
    spans += chunk.toString('latin1').split('"spanId"').length - 1;
  });
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
});

answerCalls({
  start: ({ port }: { readonly port: number }) =>
    new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve)),
  /** Returns the number of spans that came so far, less those whose name a packet cuts. */
  spans: () => spans,
});
