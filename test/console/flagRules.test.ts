/** The rules of a flag in the console: each is saved in its own place, also beside those of a colleague. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { type Tab } from '../support/browser.ts';
import type { Client } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { loaded, useConsole } from './support.ts';

const manifest = { ...testManifest, flags: [{ key: 'segments', kind: 'boolean', default: false }] };

describe('flags in the console', () => {
  let ana: Client;
  let ben: Client;
  let tab: Tab;
  let page: Page;
  const of = useConsole({
    manifest,
    arrange: async ({ open, signIn, ...given }) => {
      ({ ana, ben } = given);
      tab = await open();
      ({ page } = tab);
      await signIn(tab, 'ana@example.com', '/flags');
    },
  });
  const flag = async (name: string) => (await ana.get(`/flags/${name}`)).body.flag;
  const goTo = async (name: string): Promise<void> => {
    await page.goto(`${of().origin}/env/demo/flags/${name}`);
    await page.getByRole('region', { name: 'History' }).waitFor();
    await loaded(page);
  };
  const part = (name: string) => page.getByRole('region', { name });
  const rule = (plan: string) => ({ when: { field: 'plan', op: 'eq', value: plan }, value: true });
  const setRules = async (by: Client, ...plans: readonly string[]): Promise<void> => {
    const { status, text } = await by.post('/flags/segments', { change: { rules: plans.map(rule) } });
    expect(status, text).to.equal(200);
  };
  /** Resolves once the page shows the rules of these plans. */
  const showRules = async (...plans: readonly string[]): Promise<void> => {
    for (const [at, plan] of plans.entries())
      await part('Rules')
        .getByText(`${String(at + 1)}. When plan is ${plan}: on`)
        .waitFor();
  };
  const rules = async () => (await flag('segments')).rules;
  const editor = () => page.getByRole('form', { name: 'Rule', exact: true });

  it('saves a rule in its own place, wherever it stands by then, and a new one at the end', async () => {
    await setRules(ana, 'team', 'trial');
    await goTo('segments');
    await page.getByRole('button', { name: 'Edit rule 2' }).click();
    await page.getByLabel('Value 1').fill('enterprise');
    await setRules(ben, 'free', 'trial', 'team');
    await showRules('free');
    await page.getByRole('button', { name: 'Save the rule' }).click();
    await showRules('free', 'enterprise', 'team');
    expect(await rules()).to.deep.equal(['free', 'enterprise', 'team'].map(rule));
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByLabel('Field 1').fill('plan');
    await page.getByLabel('Value 1').fill('student');
    await setRules(ben, 'free', 'enterprise', 'team', 'partner');
    await showRules('free', 'enterprise', 'team', 'partner');
    expect(await page.getByLabel('Value 1').inputValue()).to.equal('student');
    await page.getByRole('button', { name: 'Save the rule' }).click();
    await showRules('free', 'enterprise', 'team', 'partner', 'student');
    expect(await rules()).to.deep.equal(['free', 'enterprise', 'team', 'partner', 'student'].map(rule));
  });

  it('undoes no change of the rules that a colleague has changed since', async () => {
    // The console undoes a change only after the answer to the change.
    await page.locator('.notice').getByText('new rule: when plan is student, on').waitFor();
    await setRules(ben, 'free', 'student');
    await part('Rules').getByText('3. When').waitFor({ state: 'detached' });
    await page.keyboard.press('u');
    await page.getByText('segments has been changed meanwhile').waitFor();
    expect(await rules()).to.deep.equal(['free', 'student'].map(rule));
  });

  it('opens what was typed with its own rule after that has been moved', async () => {
    await page.getByRole('button', { name: 'Edit rule 2' }).click();
    await page.getByLabel('Value 1').fill('pupil');
    await page.getByRole('button', { name: 'Edit rule 1' }).click();
    expect(await page.getByLabel('Value 1').inputValue()).to.equal('free');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Move rule 2 up' }).click();
    await showRules('student', 'free');
    await page.getByRole('button', { name: 'Edit rule 2' }).click();
    expect(await page.getByLabel('Value 1').inputValue()).to.equal('free');
    await page.getByRole('button', { name: 'Edit rule 1' }).click();
    expect(await page.getByLabel('Value 1').inputValue()).to.equal('pupil');
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  it('shows theirs and mine when a colleague changed or removed the rule that is edited', async () => {
    await setRules(ana, 'team', 'trial');
    await goTo('segments');
    await page.getByRole('button', { name: 'Edit rule 1' }).click();
    await page.getByLabel('Value 1').fill('enterprise');
    await setRules(ben, 'business', 'trial');
    await editor().getByText('This rule was changed or removed meanwhile.').waitFor();
    const facts = (): Promise<string[]> => editor().locator('dl > div').allTextContents();
    expect(await facts()).to.deep.equal(['Theirswhen plan is business: on', 'Minewhen plan is enterprise: on']);
    await tab.picture('rule-conflict-light-1440');
    await page.reload();
    await editor().getByText('This rule was changed or removed meanwhile.').waitFor();
    expect(await page.getByLabel('Value 1').inputValue()).to.equal('enterprise');
    await page.getByLabel('Value 1').press('Enter');
    expect(await rules(), 'where it goes is decided by a button').to.deep.equal(['business', 'trial'].map(rule));
    await editor().getByRole('button', { name: 'Put mine in place of theirs' }).click();
    await showRules('enterprise', 'trial');
    expect(await rules()).to.deep.equal(['enterprise', 'trial'].map(rule));
    await page.getByRole('button', { name: 'Edit rule 2' }).click();
    await page.getByLabel('Value 1').fill('student');
    await setRules(ben, 'enterprise');
    await editor().getByText('The rule is gone.').waitFor();
    expect(await editor().getByRole('button', { name: 'Put mine' }).count()).to.equal(0);
    await editor().getByRole('button', { name: 'Add mine as a rule of its own' }).click();
    await showRules('enterprise', 'student');
    await editor().waitFor({ state: 'detached' });
    expect(await rules()).to.deep.equal(['enterprise', 'student'].map(rule));
  });
});
