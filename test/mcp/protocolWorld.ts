/** Shared set-up of the tests of the protocol's messages: a clerk's agent, and messages of the newest revision. */
import type { Client, Reply } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';
import { clerkGrants, manifest } from './manifest.ts';

export const newest = '2026-07-28';
export const meta = {
  'io.modelcontextprotocol/protocolVersion': newest,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** To be called in a suite: opens the world before its tests and closes it after them. */
export const useProtocol = () => {
  let world: World;
  let clerk: Client;

  const send = (message: unknown, headers: Readonly<Record<string, string>> = {}, client = clerk): Promise<Reply> =>
    client.post('/mcp', message, { headers });
  const codeOf = ({ status, body }: Reply): [number, number] => [status, body.error.code];
  /** A message of the newest revision, with its headers. */
  const modern = (
    method: string,
    params: object = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> =>
    send(
      { jsonrpc: '2.0', id: 'm', method, params: { ...params, _meta: meta } },
      { 'mcp-protocol-version': newest, 'mcp-method': method, ...headers },
    );

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', clerkGrants);
    clerk = await world.agent('clerk');
  });
  after(() => world.close());

  return {
    send,
    codeOf,
    modern,
    get world() {
      return world;
    },
    get clerk() {
      return clerk;
    },
  };
};
