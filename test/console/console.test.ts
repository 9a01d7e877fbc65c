/** The console in a real browser on a real service: what people do there, and what must never happen to them. */
import { expect } from 'chai';
import { firstScriptBytes } from '../../shared/tools/services/buildConsole.mjs';
import type { Tab } from '../support/browser.ts';
import { clientOf, type Client } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';
import { loaded, password, useConsole, type ConsoleTest } from './support.ts';

/** Texts that run as script, or break out of the page, wherever one of them is read as HTML. */
const hostile = [
  '<img src=x onerror="window.hacked=1">',
  '<script>window.hacked=1</script>',
  '"><svg onload=window.hacked=1>',
  'javascript:window.hacked=1',
  '<a href="javascript:window.hacked=1">here</a>',
  '{{constructor.constructor("window.hacked=1")()}}',
  '<iframe srcdoc="<script>parent.hacked=1</script>">',
  '\u202Etxt.exe <style>*{display:none}</style>',
];

const manifest = {
  ...testManifest,
  inboxes: [...testManifest.inboxes, { name: 'strict', label: 'Strict', reasonRequired: true }],
  actions: [...testManifest.actions, { name: 'wipe', label: 'Wipe everything', reversible: false }],
};

describe('the console', () => {
  let world: World;
  let ana: Client;
  let ben: Client;
  let origin: string;
  let open: ConsoleTest['open'];
  let newItem: ConsoleTest['newItem'];
  let tab: Tab;

  const service = useConsole({
    manifest,
    arrange: async (given) => {
      ({ world, ana, ben, origin, open, newItem } = given);
      for (const title of ['First question', 'Second question', 'Third question', 'Fourth question'])
        await newItem(title);
      tab = await open();
    },
  });
  const signIn = async (opened: Tab, email: string, path = '/inbox/mail'): Promise<void> => {
    await service().signIn(opened, email, path);
    await opened.page.locator('.row').first().waitFor();
  };
  const item = async (id: string) => (await ana.get(`/items/${id}`)).body.item;

  it('is served under a strict policy, kept by name, and only to whoever asks for a page', async () => {
    const html = { headers: { accept: 'text/html' } };
    const page = await fetch(`${origin}/env/demo/`, html);
    const text = await page.text();
    expect(page.status).to.equal(200);
    expect(page.headers.get('content-security-policy')).to.include("default-src 'none'; script-src 'self'");
    expect(page.headers.get('content-security-policy')).to.include("require-trusted-types-for 'script'");
    expect(page.headers.get('x-content-type-options')).to.equal('nosniff');
    expect(page.headers.get('referrer-policy')).to.equal('no-referrer');
    const etag = page.headers.get('etag') ?? '';
    const again = await fetch(`${origin}/`, { headers: { accept: 'text/html', 'if-none-match': etag } });
    expect(again.status).to.equal(304);
    const [, script = ''] = /src="(\/assets\/[^"]+)"/.exec(text) ?? [];
    const asset = await fetch(`${origin}${script}`, { headers: { 'accept-encoding': 'br' } });
    expect(asset.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
    expect(asset.headers.get('content-encoding')).to.equal('br');
    for (const path of ['/', '/env/demo/', '/assets/none.js']) {
      const other = await fetch(`${origin}${path}`);
      expect([path, other.status, ((await other.json()) as { code: string }).code]).to.deep.equal([
        path,
        404,
        'not_found',
      ]);
    }
  });

  it('loads at most 150 KB of script before it shows anything', () => {
    expect(firstScriptBytes()).to.be.within(50_000, 150_000);
  });

  it('signs a person in, and says what is wrong when it can’t', async () => {
    const { page } = tab;
    await page.goto(`${origin}/env/demo/inbox/mail`);
    await page.getByLabel('E-mail').fill('ana@example.com');
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('E-mail or password is wrong.').waitFor();
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByText('First question').waitFor();
    await loaded(page);
    expect(await page.getByRole('link', { name: 'Mail 4' }).count()).to.equal(1);
  });

  it('asks once for what every page needs, and for its list before the frame is drawn', async () => {
    const { page } = tab;
    const asked: { path: string; drawn: boolean }[] = [];
    await page.exposeFunction('tellAsked', (path: string, drawn: boolean) => void asked.push({ path, drawn }));
    await page.addInitScript(`
      const send = window.fetch;
      window.fetch = (address, options) => {
        window.tellAsked(new URL(address, location.href).pathname, document.querySelector('main') !== null);
        return send(address, options);
      };`);
    await page.reload();
    await loaded(page);
    for (const path of ['/me', '/inboxes', '/views', '/counts', '/items'])
      expect(asked.filter((each) => each.path === `/api/env/demo${path}`)).to.deep.equal([
        { path: `/api/env/demo${path}`, drawn: false },
      ]);
  });

  it('asks who is there alone where nobody was signed in, and takes no refusal for another person’s', async () => {
    const stranger = await open();
    const { page } = stranger;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const early = (): string[] =>
      asked.splice(0).filter((path) => path.startsWith('/api/') && !path.includes('/sign-in'));
    const fillIn = async (): Promise<void> => {
      await page.getByLabel('E-mail').fill('ben@example.com');
      await page.getByLabel('Password').fill(password);
      await page.keyboard.press('Enter');
      await loaded(page);
    };
    await page.goto(`${origin}/env/demo/inbox/mail`);
    await page.getByLabel('E-mail').waitFor();
    expect(early()).to.deep.equal(['/api/env/demo/me']);
    await fillIn();
    await page.context().clearCookies();
    early();
    await page.reload();
    await page.getByLabel('E-mail').waitFor();
    expect(early()).to.have.members(['/me', '/inboxes', '/views', '/counts'].map((path) => `/api/env/demo${path}`));
    // The early 401 responses are not reused after the sign-in.
    await fillIn();
    await page.locator('.row').first().waitFor();
    await stranger.close();
  });

  it('works items by keyboard: close and undo, assign, tag, snooze, note, reply', async () => {
    const { page } = tab;
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'Fourth question' }).waitFor();
    const id = new URL(page.url()).searchParams.get('item') ?? '';
    await page.keyboard.press('a');
    await page.getByRole('option', { name: /^Me / }).waitFor();
    await page.keyboard.press('Enter');
    await until('it is assigned', async () => (await item(id)).assignee === ana.id);
    await page.keyboard.press('t');
    await page.getByRole('combobox', { name: 'Tags' }).fill('billing');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await until('it has the tag', async () => (await item(id)).tags.includes('billing'));
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await page.getByLabel('Note for colleagues').fill('Called them back.');
    await page.keyboard.press('Control+Enter');
    await page.locator('.written.note', { hasText: 'Called them back.' }).waitFor();
    await page.getByRole('tab', { name: /^Note/, selected: true }).waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('Note for colleagues').fill('Not yet sent.');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'Third question' }).waitFor();
    await page.getByRole('tab', { name: /^Reply/, selected: true }).waitFor();
    await page.keyboard.press('k');
    await page.getByRole('heading', { name: 'Fourth question' }).waitFor();
    expect(await page.getByLabel('Note for colleagues').inputValue()).to.equal('Not yet sent.');
    await page.getByLabel('Note for colleagues').fill('');
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    await page.getByLabel('Reply to the customer').fill('It is corrected.');
    await page.keyboard.press('Control+Enter');
    await page.locator('.written.reply', { hasText: 'reply, sent' }).waitFor();
    const { dueAt } = await item(id);
    await page.keyboard.press('e');
    await until('it is closed', async () => (await item(id)).state === 'closed');
    await page.getByRole('heading', { name: 'Third question' }).waitFor();
    expect(await page.locator(`#row-${id}`).getAttribute('class')).to.include('left');
    await page.keyboard.press('u');
    await until('it is open again', async () => (await item(id)).state === 'open');
    expect((await item(id)).dueAt, 'the deadline is the former one').to.equal(dueAt);
    await page.keyboard.press('s');
    await page.getByRole('option', { name: /Tomorrow morning/ }).click();
    await page.getByText(/^Snoozed until/).waitFor();
    await tab.picture('inbox-light-1440');
  });

  it('asks for a reason where an inbox wants one', async () => {
    const { page } = tab;
    const { body } = await ana.post('/items', { inbox: 'strict', title: 'Why not', reason: 'A test.' });
    const here = page.url();
    await page.goto(`${origin}/env/demo/inbox/strict?item=${String(body.item.id)}`);
    await page.locator('.timeline').waitFor();
    await loaded(page);
    await page.keyboard.press('e');
    const reason = page.getByRole('dialog').getByLabel('Reason');
    await reason.fill('y'.repeat(2_003));
    await page.getByText('The reason is 3 characters too long').waitFor();
    await page.keyboard.press('Enter');
    expect((await reason.inputValue()).length, 'it is kept whole').to.equal(2_003);
    await tab.picture('ask-too-long-light-1440');
    await reason.fill('It is a duplicate.');
    await page.keyboard.press('Enter');
    await page.locator('.line', { hasText: 'because: It is a duplicate.' }).waitFor();
    expect((await item(body.item.id)).state).to.equal('closed');
    await page.goto(here);
    await page.locator('.timeline').waitFor();
  });

  it('keeps a draft over a reload', async () => {
    const { page } = tab;
    await page.keyboard.press('k');
    await page.keyboard.press('r');
    await page.getByLabel('Reply to the customer').fill('Half a sentence');
    await page.reload();
    await loaded(page);
    expect(await page.getByLabel('Reply to the customer').inputValue()).to.equal('Half a sentence');
    await page.getByLabel('Reply to the customer').fill('');
    await page.keyboard.press('Escape');
  });

  it('shows what a colleague changes, and announces what is new without moving the list', async () => {
    const { page } = tab;
    const id = new URL(page.url()).searchParams.get('item') ?? '';
    const rows = async (): Promise<string[]> => page.locator('.row-title').allTextContents();
    const before = await rows();
    await ben.post(`/items/${id}/notes`, { text: 'Ben was here.' });
    await page.locator('.written.note', { hasText: 'Ben was here.' }).waitFor();
    await newItem('Fifth question');
    await page.getByRole('button', { name: /1 new/ }).waitFor();
    expect(await rows()).to.deep.equal(before);
    await page.keyboard.press('l');
    await page.locator('.row-title', { hasText: 'Fifth question' }).waitFor();
  });

  it('heals a hole in the stream: a message that is lost is asked for again', async () => {
    const second = await open();
    let dropped = 0;
    await second.page.routeWebSocket(/\/live/, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((message) => {
        if (dropped === 0 && String(message).includes('Lost on the way')) dropped += 1;
        else socket.send(message);
      });
    });
    const id = await newItem('Watched');
    await signIn(second, 'ben@example.com', `/inbox/mail?item=${id}`);
    await second.page.locator('.timeline').waitFor();
    await ana.post(`/items/${id}/notes`, { text: 'Lost on the way' });
    await ana.post(`/items/${id}/notes`, { text: 'Came through' });
    await second.page.locator('.written.note', { hasText: 'Lost on the way' }).waitFor();
    await second.page.locator('.written.note', { hasText: 'Came through' }).waitFor();
    expect(dropped).to.equal(1);
    await second.close();
  });

  it('decides a request on one screen, and shows at once when somebody else was faster', async () => {
    const { page } = tab;
    const agent = await world.agent('operator', { mode: 'supervised', name: 'Triage bot' });
    const first = await newItem('Close me');
    const asked = await agent.post(`/items/${first}/state`, { state: 'closed', reason: 'It is a duplicate.' });
    expect(asked.status).to.equal(202);
    await page.goto(`${origin}/env/demo`);
    await page
      .getByRole('region', { name: 'To decide' })
      .getByRole('link', { name: /Close me/ })
      .click();
    await page.getByText('It is a duplicate.').waitFor();
    await page.getByText('Triage bot').first().waitFor();
    await page.getByRole('button', { name: /^Approve/ }).waitFor();
    await tab.picture('approval-light-1440');
    await page.keyboard.press('a');
    await until('it is done', async () => (await item(first)).state === 'closed');
    await page.getByText('Nothing that you see waits for a decision').waitFor();
    await page.keyboard.press('Escape');
    const other = await newItem('Leave me');
    const { body } = await agent.post(`/items/${other}/state`, { state: 'closed' });
    await page.locator('.request').click();
    await page.getByRole('button', { name: /^Approve/ }).waitFor();
    await ben.post(`/approvals/${body.approval}/reject`, { note: 'Not yet.' });
    await page.getByText('Rejected by Ben Okoro').waitFor();
    await page.getByText(/requests, 1 was approved, 1 was rejected, and 0 wait/).waitFor();
    expect(await page.getByRole('button', { name: /^Approve/ }).count()).to.equal(0);
  });

  it('approves what can’t be undone at a second word only, which says what happens', async () => {
    const { page } = tab;
    const agent = await world.agent('admin', { mode: 'supervised', name: 'Cleaner' });
    const asked = await agent.post('/actions', { action: 'wipe' });
    expect(asked.status, asked.text).to.equal(202);
    const { approval } = asked.body as { approval: string };
    const status = async (): Promise<string> => (await ana.get(`/approvals/${approval}`)).body.approval.status;
    await page.goto(`${origin}/env/demo/approvals/${approval}`);
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await loaded(page);
    await page.keyboard.press('a');
    const group = page.getByRole('group', { name: 'Confirm the approval' });
    await group.getByText('This can’t be undone: Wipe everything').waitFor();
    await tab.picture('approval-grave-light-1440');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Reject' }).waitFor();
    expect(await status()).to.equal('pending');
    await page.keyboard.press('a');
    await group.getByRole('button', { name: 'Approve it all the same', disabled: false }).waitFor();
    await page.keyboard.press('Control+Enter');
    await until('it is approved', async () => (await status()) === 'approved');
    await group.waitFor({ state: 'detached' });
  });

  it('makes an agent after a fresh sign-in, and shows its token once', async () => {
    const { page } = tab;
    world.clock.advance(16 * 60_000);
    await page.goto(`${origin}/env/demo/settings/agents`);
    await page.getByRole('button', { name: 'New agent' }).click();
    await page.getByLabel('Name').fill('Night watch');
    await page.getByRole('button', { name: 'Make agent' }).click();
    const confirm = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await confirm.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    const token = (await page.locator('pre').first().textContent()) ?? '';
    expect(token).to.match(/^cagt_/);
    expect(await page.locator('pre').allTextContents()).to.satisfy((texts: string[]) =>
      texts.some((text) => text.includes('mcpServers') && text.includes(`${token}`)),
    );
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByLabel('Mode of Night watch').selectOption('readonly');
    await page.getByText('Night watch is read-only now.').waitFor();
    expect(await page.getByText(token).count()).to.equal(0);
    const bot = clientOf(world.base, token, 'Night watch');
    expect((await bot.post('/items', { inbox: 'mail', title: 'Not allowed' })).status).to.equal(403);
    await page.getByRole('link', { name: 'Night watch' }).click();
    await page.getByRole('cell', { name: 'refused' }).waitFor();
    await page.keyboard.press('s');
    await page.getByRole('button', { name: 'Make it supervised' }).click();
    await page.getByText('Night watch is supervised now.').waitFor();
    await tab.picture('agent-light-1440');
    await page.keyboard.press('Backspace');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke Night watch' }).click();
    await page.getByText('Night watch is revoked.').waitFor();
  });

  it('reads nothing that others wrote as HTML', async () => {
    const id = await newItem(hostile.join(' ').slice(0, 400), { email: hostile[0], plan: hostile[1] });
    for (const text of hostile) await ben.post(`/items/${id}/notes`, { text });
    await ben.post(`/items/${id}/reply`, { subject: hostile[0], text: hostile.join('\n') });
    await ben.post(`/items/${id}/tags`, { add: hostile.slice(0, 3).map((text) => text.replaceAll(',', '')) });
    const { page } = tab;
    await page.goto(`${origin}/env/demo/inbox/mail?item=${id}`);
    await page.locator('.written.note', { hasText: hostile[7] ?? '' }).waitFor();
    expect(await page.locator('.written.note').count()).to.equal(hostile.length);
    expect(await page.evaluate('window.hacked')).to.equal(undefined);
    expect(await page.locator('.page img, .page iframe, .page script, .page style').count()).to.equal(0);
    await tab.picture('hostile-light-1440');
  });

  it('has each control exactly where the role allows what it does', async () => {
    const vera = await open({ colorScheme: 'dark' });
    await signIn(vera, 'vera@example.com');
    const deeds = ['Close', 'Assign', 'Tag', 'Snooze'];
    const shown = async ({ page }: Tab): Promise<string[]> => {
      const names = await page.locator('.deeds .button').allTextContents();
      return deeds.filter((deed) => names.some((name) => name.startsWith(deed)));
    };
    await vera.page.keyboard.press('j');
    await vera.page.locator('.timeline').waitFor();
    expect(await shown(vera)).to.deep.equal([]);
    expect(await vera.page.getByRole('textbox', { name: /Reply|Note/ }).count()).to.equal(0);
    expect(await vera.page.getByRole('link', { name: /Agents|Approvals/ }).count()).to.equal(0);
    await vera.page.keyboard.press('e');
    await vera.page.goto(`${origin}/env/demo/settings/agents`);
    await vera.page.getByText('Your role may not see this').waitFor();
    await vera.picture('forbidden-dark-1440');
    const narrow = await open({ viewport: { width: 390, height: 844 }, hasTouch: true });
    await signIn(narrow, 'ben@example.com');
    await narrow.picture('inbox-light-390');
    await narrow.page.locator('.row').first().click();
    await narrow.page.locator('.timeline').waitFor();
    expect(await shown(narrow)).to.deep.equal(deeds);
    expect(await narrow.page.getByRole('link', { name: 'Agents' }).count()).to.equal(0);
    await narrow.picture('item-light-390');
  });

  it('asks to sign in again when the session has ended, and goes on where it was', async () => {
    const { page } = tab;
    await page.goto(`${origin}/env/demo/inbox/mail`);
    await page.locator('.row').first().waitFor();
    await world.sql("delete from tokens where principal = $1 and kind = 'person'", [ana.id]);
    await world.sql('update revisions set n = n + 1');
    await page.getByText('Your session has ended').waitFor();
    await page.getByLabel('E-mail').fill('ana@example.com');
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.locator('.row').first().waitFor();
  });
});
