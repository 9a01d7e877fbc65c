/** Shared set-up of the tests of signing in: people with passwords, the sign-in from an address of each test's own, and its tries. */
import { expect } from 'chai';
import { clientOf, request, type CallOptions, type Client, type Reply } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

export const password = 'correct horse battery';
export const hour = 3_600_000;

/** To be called in a suite: opens the world before its tests and closes it after them. */
export const useSignIn = () => {
  let world: World;
  let origin: string;
  let addresses = 0;
  /** Another address for each test, as tries count by address too. */
  let from: string;

  // Behind a proxy, so that a test sets its address.
  before(async () => {
    world = await newWorld({ env: { TRUST_PROXY: '1' } });
    await world.environment('staging');
    origin = new URL(world.base).origin;
  });
  after(() => world.close());
  beforeEach(() => {
    addresses += 1;
    from = `192.0.2.${String(addresses)}`;
  });

  const person = async (role = 'operator', more: object = {}): Promise<{ client: Client; email: string }> => {
    const email = `p${String(Math.random()).slice(2)}@example.com`;
    return { client: await world.person(role, 'Ana Lind', { email, password, ...more }), email };
  };
  const signIn = (
    body: unknown,
    { base = world.base, headers = {}, ...rest }: CallOptions & { base?: string } = {},
  ): Promise<Reply> =>
    request('POST', `${base}/sign-in`, body, null, { headers: { 'x-forwarded-for': from, ...headers }, ...rest });
  const sessionOf = ({ body }: Reply): Client => clientOf(world.base, body.token, body.person.id);
  const tokenOf = (reply: Reply): string =>
    /console_session=([^;]*)/.exec(reply.headers.get('set-cookie') ?? '')?.[1] ?? '';
  const refused = (
    reply: Pick<Reply, 'status' | 'body' | 'text'>,
    status: number,
    code: string,
    path?: string,
  ): void => {
    expect([reply.status, reply.body?.code], reply.text).to.deep.equal([status, code]);
    if (path !== undefined) expect(reply.body.details.map((place: { path: string }) => place.path)).to.include(path);
  };
  /** Waits that are under way last a minute more, however slow the machine is. */
  const stretch = (): Promise<unknown> =>
    world.sql('update sign_in_tries set free_at = free_at + 60000 where free_at > last_at');
  /** Everybody but known browsers has to wait. */
  const block = (): Promise<unknown> =>
    world.sql(
      `update sign_in_tries set failures = 100, last_at = $1, free_at = $1::bigint + 600000 where subject not like 'known:%'`,
      [world.clock.now()],
    );
  const stale = (client: Client): Promise<unknown> =>
    world.sql('update tokens set fresh_until = 1 where principal = $1', [client.id]).then(() => reload());
  const reload = async (): Promise<void> => {
    await world.sql('update revisions set n = n + 1');
    await world.deps.directory.refresh();
  };
  const audited = (verb: string, target: string | null): Promise<Record<string, unknown>[]> =>
    world.sql(
      `select actor, actor_name, target, outcome, after, address, request_id from events where verb = $1 and target is not distinct from $2 order by id`,
      [verb, target],
    );

  return {
    person,
    signIn,
    sessionOf,
    tokenOf,
    refused,
    stretch,
    block,
    stale,
    reload,
    audited,
    get world() {
      return world;
    },
    get origin() {
      return origin;
    },
    get from() {
      return from;
    },
    set from(other: string) {
      from = other;
    },
  };
};
