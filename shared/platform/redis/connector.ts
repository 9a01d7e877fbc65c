/** Connects to a Redis server for client.ts, with an `error` listener on the socket that stays. */
import type { StandaloneConnectionOptions } from 'ioredis';
import standalone from 'ioredis/built/connectors/StandaloneConnector.js';

type Connect = InstanceType<typeof standalone.default>['connect'];

/**
 * ioredis listens to the first error of a socket alone, and a TLS handshake that fails may bring two (the certificate is
 * refused here, and an alert comes after it): the second one would end the process.
 */
export class SafeConnector extends standalone.default {
  constructor(options: unknown) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the options of the client, which ioredis passes on
    super(options as StandaloneConnectionOptions);
  }

  override async connect(...args: Parameters<Connect>): ReturnType<Connect> {
    const socket = await super.connect(...args);
    socket.on('error', () => undefined);
    return socket;
  }
}
