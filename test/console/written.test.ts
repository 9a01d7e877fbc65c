/** What customers and colleagues write, in a real browser: customers' texts exactly as they are, ours as one Markdown, and each link with its host. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Tab } from '../support/browser.ts';
import { openMailBox, readLetter, type MailBox } from '../support/mail.ts';
import { until } from '../support/until.ts';
import { worstTexts } from '../support/worstTexts.ts';
import { useConsole } from './support.ts';

const written =
  'The sum of 2*3 and 4*5 is snake_case_26, see C:\\dir\\*.*\n\n# not a heading\n    four spaces, **two stars**, `ticks`\n[bank.example](https://evil.example) <b>&amp;</b>\nhttps://shop.example/a_b_c?d=*1*2';
const links = [
  ['paypal.com', 'https://aypal.com', '(aypal.com)'],
  ['https://paypal.com', 'https://paypal.com.evil.example', '(paypal.com.evil.example)'],
  ['paypal.com', 'https://paypal.com/login', ''],
] as const;
const manifest = {
  resources: [
    {
      name: 'customer',
      source: 'stored',
      fields: [{ name: 'email' }, { name: 'about' }, { name: 'site', type: 'link' }],
    },
  ],
  inboxes: [
    {
      name: 'mail',
      reply: {
        via: 'smtp',
        from: 'support@example.com',
        to: '{{item.fields.email}}',
        inReplyTo: '{{item.fields.messageId}}',
      },
      blocks: [
        { type: 'text', title: 'Message', text: '{{item.fields.body}}' },
        { type: 'fields', title: 'Facts', fields: [{ label: 'Body', value: '{{item.fields.body}}' }] },
      ],
    },
  ],
  actions: [
    { name: 'say', label: 'Say', approval: true, input: { type: 'object', properties: { text: { type: 'string' } } } },
  ],
  pages: [
    {
      name: 'links',
      label: 'Links',
      blocks: [
        ...links.map(([label, url]) => ({ type: 'link', url, label })),
        { type: 'text', text: links.map(([label, url]) => `[${label}](${url})`).join('\n') },
      ],
    },
  ],
};

/** Returns the words of a place as they are on the screen, with their line breaks. */
const wordsOf = (page: Page, selector: string): Promise<string> => page.locator(selector).first().innerText();

describe('what people write', () => {
  let tab: Tab;
  let box: MailBox;
  const of = useConsole({
    manifest,
    world: async () => {
      box = await openMailBox();
      return { env: { SMTP_URL: box.url } };
    },
    handlers: { 'action.run': () => ({ message: written }) },
    arrange: async ({ open, signIn, world }) => {
      await world.records('customer', [
        {
          id: 'ana',
          title: 'Ana',
          fields: { email: 'ana@example.com', about: written, site: 'https://bank.example@evil.example/' },
        },
      ]);
      tab = await open();
      await signIn(tab, 'ana@example.com', '/pages');
    },
  });
  after(() => box.close());

  const show = async (path: string, selector: string): Promise<Page> => {
    const { page } = tab;
    await page.goto(`${of().origin}/env/demo${path}`);
    await page.locator(selector).first().waitFor();
    await until('everything is loaded', async () => (await page.locator('.skeleton').count()) === 0);
    return page;
  };
  const newItem = async (data: object, more: object = {}): Promise<string> =>
    (await of().ben.post('/items', { inbox: 'mail', title: 'Letter', key: `k${String(Math.random())}`, data, ...more }))
      .body.item.id as string;

  it('is shown exactly as a customer wrote it, in each place, with its addresses as links', async () => {
    const id = await newItem(
      { email: 'ana@example.com', body: 'First' },
      { key: 'again', record: { resource: 'customer', id: 'ana' } },
    );
    await of().ben.post('/items', { inbox: 'mail', title: 'Letter', key: 'again', data: { body: written } });
    const other = await newItem({ email: 'ana@example.com', body: written });
    const ran = await of().world.agent('operator');
    const asked = await ran.post('/actions', { action: 'say', input: { text: written }, item: id });
    const decided = await ran.post('/actions', { action: 'say', input: { text: written } });
    await of().ben.post(`/approvals/${String(decided.body.approval)}/approve`);
    const { body: approval } = await of().ben.get(`/approvals/${String(decided.body.approval)}`);
    const places: readonly (readonly [string, string])[] = [
      [`/inbox/mail?item=${other}`, '.block.text .prose'],
      [`/inbox/mail?item=${other}`, '.block.fields dd'],
      [`/inbox/mail?item=${id}`, '.written.occurred .prose'],
      ['/records/customer?record=ana', 'dd:has-text("The sum of")'],
      [`/runs?run=${String(approval.approval.run)}`, '.run-outcome .prose'],
      [`/approvals/${String(asked.body.approval)}`, '.fields dd:has-text("The sum of")'],
    ];
    for (const [path, selector] of places) {
      const page = await show(path, selector);
      expect(await wordsOf(page, selector), `${path} ${selector}`).to.equal(written);
      const found = page.locator(selector).first().locator('a');
      expect(await found.evaluateAll((all) => all.map((one) => one.getAttribute('href'))), path).to.deep.equal([
        'https://evil.example/',
        'https://shop.example/a_b_c?d=*1*2',
      ]);
      expect(await page.locator(selector).first().locator('strong, em, code, h1, b').count(), path).to.equal(0);
    }
    await show(`/inbox/mail?item=${other}`, '.block.text');
    await tab.picture('written-light-1440');
  });

  it('says where each link leads, unless its words do', async () => {
    const page = await show('/pages/links', '.block.text a');
    for (const [at, [label, , host]] of links.entries())
      expect((await page.locator('.block.link').nth(at).innerText()).trim()).to.equal(`${label} ${host}`.trim());
    expect(await wordsOf(page, '.block.text')).to.equal(
      links.map(([label, , host]) => `${label} ${host}`.trim()).join('\n'),
    );
    await tab.picture('links-light-1440');
    const record = await show('/records/customer?record=ana', 'dd:has-text("evil.example/")');
    expect(await wordsOf(record, 'dd:has-text("evil.example/")')).to.equal(
      'https://bank.example@evil.example/ (evil.example)',
    );
  });

  it('of the worst kind holds up nobody who opens it', async () => {
    const { ben } = of();
    const id = await newItem({ email: 'ana@example.com', body: '!*a'.repeat(10_000) });
    const texts = worstTexts(9_990).map(([, text]) => text);
    for (const text of texts.filter((each) => each.trim() !== ''))
      expect((await ben.post(`/items/${id}/notes`, { text })).status).to.equal(201);
    await ben.post(`/items/${id}/notes`, { text: '!*a'.repeat(6_600) });
    await ben.post(`/items/${id}/notes`, { text: 'The **last** one' });
    const page = await show(`/inbox/mail?item=${id}`, '.written.note strong');
    expect(await page.evaluate('1 + 1')).to.equal(2);
    await page.keyboard.press('n');
    await page.keyboard.type('Still here');
    await page.locator('textarea').and(page.locator(':focus')).waitFor();
  });

  it('as a reply is one Markdown: the preview, the thread and the HTML of the mail show the same, the text is the source', async () => {
    const id = await newItem({
      email: 'Ana Lind <ana@example.com>',
      body: 'Hello',
      messageId: '<m1@mail.example.com>',
    });
    const text =
      'Hello **Ana**, it is 5 * 3 = `15`\nnext line\n\n# Steps\n1. open [bank.example](https://bank.example/x)\n2. [pay](https://pay.example)\n\n> quoted <b> &amp; C:\\dir\n\n![pic](https://img.example/p.png) https://shop.example/a.';
    const page = await show(`/inbox/mail?item=${id}`, '.composer');
    await page.keyboard.press('r');
    await page.getByText('To ana@example.com', { exact: true }).waitFor();
    await page.getByLabel('Reply to the customer').fill(text);
    await page.getByRole('button', { name: 'Preview' }).click();
    /** The elements of a text and their words, without what only the console needs. */
    const shapeOf = (selector: string): string => `(() => {
      const of = (node) => node.nodeType === 3 ? node.data : ['BDI', 'SPAN', 'DIV'].includes(node.tagName)
        ? [...node.childNodes].map(of).join('')
        : '<' + (node.className === 'md-heading' ? 'P><STRONG' : node.tagName) + (node.tagName === 'A' ? ' ' + node.getAttribute('href') : '') + '>' + [...node.childNodes].map(of).join('') + '</>';
      return [...document.querySelector('${selector}').childNodes].map(of).join('').replaceAll('<P><STRONG>Steps</></>', '<P><STRONG>Steps</>');
    })()`;
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.locator('strong').waitFor();
    const inPreview = await page.evaluate(shapeOf('.preview .markdown'));
    await tab.picture('reply-preview-light-1440');
    await page.getByRole('button', { name: 'Send reply' }).click();
    await page.locator('.written.reply strong').first().waitFor();
    await tab.picture('reply-thread-light-1440');
    const inThread = await page.evaluate(shapeOf('.written.reply .markdown'));
    const letter = await until('the mail is there', () => box.letters.at(-1));
    const { headers, text: source, html } = readLetter(letter);
    const mailProgram = await page.context().newPage();
    await mailProgram.setContent(html);
    const inMail = await mailProgram.evaluate(shapeOf('body'));
    await mailProgram.close();
    expect(inThread).to.equal(inPreview);
    expect(inMail).to.equal(inPreview);
    expect(String(inMail)).to.include('<STRONG>Ana</>').and.to.include('pay</> (pay.example)');
    expect(source.trimEnd()).to.equal(text);
    expect(headers.get('in-reply-to')).to.equal('<m1@mail.example.com>');
    expect(headers.has('auto-submitted')).to.equal(false);
  });

  it('as a reply names its recipient, and warns where that is not the address of the linked record', async () => {
    const id = await newItem(
      { email: 'eve@example.org', body: 'Refund me' },
      { record: { resource: 'customer', id: 'ana' } },
    );
    const page = await show(`/inbox/mail?item=${id}`, '.composer');
    await page.getByText('To eve@example.org', { exact: true }).waitFor();
    await page.getByRole('alert').filter({ hasText: 'the address of the linked record is ana@example.com' }).waitFor();
    await tab.picture('recipient-light-1440');
    const none = await newItem({ body: 'No address' });
    await show(`/inbox/mail?item=${none}`, '.composer');
    await page.getByText('The item has no e-mail address to send a reply to.').waitFor();
  });
});
