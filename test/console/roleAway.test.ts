/** A role that changes while the console's stream is cut off: no message tells it, and the page shows what may be seen now. */
import { expect } from 'chai';
import { Gate } from '../support/gate.ts';
import { loaded, useConsole } from './support.ts';

describe('a role that changes while the console is away', () => {
  let gate: Gate | undefined;
  const of = useConsole();
  after(() => gate?.close());

  it('is followed once the page is back, in either direction', async () => {
    const { ana, newItem, open, origin, signIn, world } = of();
    await newItem('Seen before');
    const tab = await open();
    const { page } = tab;
    await signIn(tab, 'vera@example.com', '');
    gate = new Gate(new URL(origin));
    await page.goto(new URL('/env/demo', await gate.listen()).href);
    await loaded(page);
    const inbox = page.getByRole('navigation').getByRole('link', { name: /^Mail/ });
    await inbox.waitFor();
    const { body } = await ana.get('/settings/roles');
    const roles: { id: string; name: string; grants: { on: string }[] }[] = body.roles;
    const viewer = roles.find(({ name }) => name === 'viewer');
    const change = async (grants: readonly object[]): Promise<void> => {
      gate?.shut();
      await page
        .getByText(/can’t be reached/)
        .first()
        .waitFor();
      const [role] = await world.sql<{ id: string }>(`select id from roles where name = 'viewer'`);
      await world.sql('update roles set grants = $2 where id = $1', [role?.id, JSON.stringify(grants)]);
      await world.sql('update revisions set n = n + 1');
      await world.deps.directory.refresh();
      if (gate !== undefined) gate.open = true;
    };
    expect(viewer?.grants.length).to.be.above(0);
    await change([{ on: 'resource:*', can: ['see'] }]);
    await inbox.waitFor({ state: 'detached' });
    await change(viewer?.grants ?? []);
    await inbox.waitFor();
  });
});
