/** What the tests of the conventions of HTTP share. */
import { expect } from 'chai';
import type { CallOptions, Reply } from '../../support/http.ts';
import { clerkGrants } from '../../support/manifest.ts';
import { newWorld } from '../../support/world.ts';

export const refused = (
  reply: Pick<Reply, 'status' | 'body' | 'text'>,
  status: number,
  code: string,
  path?: string,
): void => {
  expect([reply.status, reply.body?.code], reply.text).to.deep.equal([status, code]);
  expect(reply.body.error).to.be.a('string').and.match(/\S/);
  if (path !== undefined) expect(reply.body.details.map((place: { path: string }) => place.path)).to.include(path);
};

export const keyed = (key: string, more: Readonly<Record<string, string>> = {}): CallOptions => ({
  headers: { 'idempotency-key': key, ...more },
});

export const openConventionsWorld = async () => {
  const world = await newWorld();
  await world.role('clerk', clerkGrants);
  const admin = await world.agent('admin');
  const clerk = await world.agent('clerk');
  const origin = new URL(world.base).origin;
  let made = 0;
  const make = async (more: object = {}, client = clerk): Promise<Reply['body']> => {
    made += 1;
    return (await client.post('/items', { inbox: 'mail', title: `Item ${String(made)}`, ...more })).body.item;
  };
  const fetched = async (item: { id: string }): Promise<Reply['body']> => (await admin.get(`/items/${item.id}`)).body;

  return { world, admin, clerk, origin, make, fetched };
};

export type ConventionsWorld = Awaited<ReturnType<typeof openConventionsWorld>>;
