/** In the console: people are invited, choose a password by a link, get a new one, and sign in without naming an environment. */
import { expect } from 'chai';
import { openMailBox, type MailBox } from '../support/mail.ts';
import { until } from '../support/until.ts';
import { loaded, password, useConsole } from './support.ts';

describe('passwords and sign-in in the console', () => {
  let box: MailBox;
  const service = useConsole({
    world: async () => {
      box = await openMailBox();
      return { env: { SMTP_URL: box.url, SMTP_FROM: 'console@example.com' } };
    },
  });
  after(() => box.close());

  /** The link of the last mail to an address, at the service of this test. */
  const linkOf = async (email: string): Promise<string> => {
    const text = await until('the mail is there', () => box.letters.findLast(({ to }) => to.includes(email))?.text);
    const [, fragment = ''] =
      /(#(?:invitation|reset)=[\w-]+)/.exec(text.replace(/=\r?\n/g, '').replace(/=3D/g, '=')) ?? [];
    return `${service().origin}/${fragment}`;
  };

  it('asks the start for no environment, and shows the one that is the person’s', async () => {
    const tab = await service().open();
    await tab.page.goto(`${service().origin}/`);
    await tab.page.getByLabel('E-mail').fill('ben@example.com');
    await tab.page.getByLabel('Password').fill(password);
    expect(await tab.page.getByLabel('Environment').count()).to.equal(0);
    await tab.picture('start-light-1440');
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await loaded(tab.page);
    expect(new URL(tab.page.url()).pathname).to.equal('/env/demo');
  });

  it('invites a person after a fresh sign-in, who chooses a password by the link', async () => {
    const tab = await service().open();
    await service().signIn(tab, 'ana@example.com', '/settings/people');
    await tab.page.getByRole('button', { name: 'New person' }).click();
    const dialog = tab.page.getByRole('dialog', { name: 'New person' });
    await dialog.getByLabel('Name').fill('Ida Moss');
    await dialog.getByLabel('E-mail').fill('ida@example.com');
    await dialog.getByLabel('Role').selectOption('operator');
    await tab.picture('invite-light-1440');
    service().world.clock.advance(16 * 60_000);
    await dialog.getByRole('button', { name: 'Let them sign in' }).click();
    await tab.page.getByRole('dialog', { name: 'Confirm that it is you' }).getByLabel('Password').fill(password);
    await tab.page.keyboard.press('Enter');
    await tab.page.getByText('Ida Moss is invited: a link is on its way by mail.').waitFor();
    const lost = await linkOf('ida@example.com');
    await tab.page.getByRole('link', { name: 'Ida Moss' }).click();
    const form = tab.page.getByRole('dialog', { name: 'Change Ida Moss' });
    await form.getByLabel('Invite again').check();
    await tab.picture('invite-again-light-1440');
    await form.getByRole('button', { name: 'Change Ida Moss' }).click();
    await form.waitFor({ state: 'detached' });
    await until('there is another link', async () => (await linkOf('ida@example.com')) !== lost);
    const hers = await service().open();
    await hers.page.goto(await linkOf('ida@example.com'));
    await hers.page.getByLabel('New password').fill('password');
    await hers.page.getByRole('button', { name: 'Set the password and sign in' }).click();
    await hers.page.getByText('most common passwords').waitFor();
    await hers.picture('invitation-light-1440');
    await hers.page.getByLabel('New password').fill('a long enough one');
    await hers.page.getByRole('button', { name: 'Set the password and sign in' }).click();
    await loaded(hers.page);
    expect(new URL(hers.page.url()).pathname).to.equal('/env/demo');
    await tab.page.getByRole('button', { name: 'Remove Ida Moss' }).click();
    await tab.page.getByRole('alertdialog').getByRole('button', { name: 'Remove Ida Moss' }).click();
    await tab.page.getByText('Ida Moss is removed.').waitFor();
  });

  it('mails a link to who forgot the password, and says the same of an address that nobody has', async () => {
    const tab = await service().open();
    for (const email of ['nobody@example.com', 'vera@example.com']) {
      await tab.page.goto(`${service().origin}/`);
      await tab.page.getByRole('button', { name: 'Forgot your password?' }).click();
      await tab.page.getByLabel('E-mail').fill(email);
      await tab.page.getByRole('button', { name: 'Send the link' }).click();
      await tab.page.getByText('If somebody here has this address').waitFor();
    }
    await tab.page.goto('about:blank');
    await tab.page.goto(await linkOf('vera@example.com'));
    await tab.page.getByRole('heading', { name: 'Set a new password' }).waitFor();
    await tab.picture('reset-light-1440');
    await tab.page.getByLabel('New password').fill('another long one');
    await tab.page.getByRole('button', { name: 'Set the password and sign in' }).click();
    await loaded(tab.page);
    expect((await service().vera.get('/me')).status, 'her former session').to.equal(401);
  });
});
