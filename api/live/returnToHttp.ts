/**
 * Gives a request back to HTTP. A server that listens for upgrades gets every request with an `upgrade` header, also those
 * of clients that only offer another protocol: Java's own client sends `upgrade: h2c` with each first request, and
 * expects it to be ignored (RFC 9110 section 7.8).
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

const droppedHeaders = new Set(['upgrade', 'http2-settings', 'connection']);

/** Takes the offer out of the request and lets the server read it from its socket once more. */
export const returnToHttp = (server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void => {
  const lines = [`${request.method ?? 'GET'} ${request.url ?? '/'} HTTP/${request.httpVersion}`];
  for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i] ?? '';
    if (!droppedHeaders.has(name.toLowerCase())) lines.push(`${name}: ${request.rawHeaders[i + 1] ?? ''}`);
  }
  const options = (request.headers.connection ?? '').split(',').map((option) => option.trim());
  const kept = options.filter((option) => option !== '' && !droppedHeaders.has(option.toLowerCase()));
  if (kept.length > 0) lines.push(`connection: ${kept.join(', ')}`);
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
};
