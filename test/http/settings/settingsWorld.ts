/** Shared set-up of the tests of settings over HTTP: a person who may do everything, a second process, and the steps that most of them take. */
import { expect } from 'chai';
import { clientOf, request, type CallOptions, type Client, type Reply } from '../../support/http.ts';
import { patience } from '../../support/patience.ts';
import { newWorld } from '../../support/world.ts';

export const password = 'correct horse battery';
export const day = 86_400_000;

export const refused = (
  reply: Pick<Reply, 'status' | 'body' | 'text'>,
  status: number,
  code: string,
  path?: string,
): void => {
  expect([reply.status, reply.body?.code], reply.text).to.deep.equal([status, code]);
  if (path !== undefined)
    expect(
      reply.body.details.map((place: { path: string }) => place.path),
      reply.text,
    ).to.include(path);
};
export const keyed = (key: string): CallOptions => ({ headers: { 'idempotency-key': key } });
export const patch = (client: Client, path: string, body: object, options?: CallOptions): Promise<Reply> =>
  client.call('PATCH', path, body, options);
export const remove = (client: Client, path: string, options?: CallOptions): Promise<Reply> =>
  client.call('DELETE', path, undefined, options);

export const openSettingsWorld = async () => {
  let count = 0;
  const world = await newWorld({ env: { TRUST_PROXY: '1' } });
  await world.environment('staging');
  const boss = await world.person('admin', 'Boss', { fresh: true, password, email: 'boss@example.com' });
  const second = (await world.api()).base();
  const name = (): string => `thing ${String((count += 1))}`;
  const made = async (path: string, body: object, options?: CallOptions): Promise<Reply['body']> => {
    const reply = await boss.post(`/settings/${path}`, body, options);
    expect(reply.status, reply.text).to.equal(201);
    return reply.body;
  };
  const newAgent = async (
    more: object = {},
  ): Promise<{ agent: { id: string; role: { id: string } }; client: Client; there: Client }> => {
    const { agent, token, baseUrl } = await made('agents', { name: name(), role: 'viewer', ...more });
    expect(baseUrl).to.equal(world.config.publicUrl + new URL(world.base).pathname);
    return { agent, client: clientOf(world.base, token, agent.id), there: clientOf(second, token, agent.id) };
  };
  /** The status that `client` gets of `path` as soon as it isn't `from` any more, at most a second from now. */
  const soon = async (client: Client, path: string, from: number): Promise<number> => {
    const deadline = Date.now() + 1_000 * patience;
    let { status } = await client.get(path);
    while (status === from && Date.now() < deadline) ({ status } = await client.get(path));
    return status;
  };
  const signIn = (email: string, given: string): Promise<Reply> => {
    count += 1;
    return request('POST', `${world.base}/sign-in`, { email, password: given }, null, {
      headers: { 'x-forwarded-for': `192.0.2.${String(count % 250)}` },
    });
  };
  const events = (target: string): Promise<Record<string, unknown>[]> =>
    world.sql(
      'select v.verb, v.outcome, v.before, v.after, v.actor, e.name as env from events v join environments e on e.id = v.env where v.target = $1 order by v.id',
      [target],
    );
  return { world, boss, second, name, made, newAgent, soon, signIn, events };
};

export type SettingsWorld = Awaited<ReturnType<typeof openSettingsWorld>>;
