// Makes servers listen on 127.0.0.1 only; preloaded into the Redis in JavaScript, which listens everywhere, without a password.
import { Server } from 'node:net';

const prototype = /** @type {{ listen: (this: Server, ...args: unknown[]) => unknown }} */ (
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of Node have only the overloads of `listen`, which takes any of their arguments
  /** @type {unknown} */ (Server.prototype)
);
const listen = prototype.listen;

prototype.listen = function (port, ...rest) {
  const where = typeof port === 'number' ? { port, host: '127.0.0.1' } : port;
  return listen.call(this, where, ...rest);
};
