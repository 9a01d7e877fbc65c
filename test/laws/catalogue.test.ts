/** The catalogue is complete: what one table names, the others and the code know too. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { sections } from '../../api/console/settings/sections.ts';
import { endpoints } from '../../api/endpoints.ts';
import { settingsResources } from '../../api/routes/settings.ts';
import { errors, fault } from '../../shared/catalogue/errors.ts';
import { entryTypes } from '../../shared/catalogue/events.ts';
import { jobs } from '../../shared/catalogue/jobs.ts';
import { permissions } from '../../shared/catalogue/permissions.ts';
import { assignItem } from '../../shared/items/operations/assign.ts';
import { noteItem } from '../../shared/items/operations/note.ts';
import { replyToItem } from '../../shared/items/operations/reply.ts';
import { setState } from '../../shared/items/operations/setState.ts';
import { snoozeItem } from '../../shared/items/operations/snooze.ts';
import { tagItem } from '../../shared/items/operations/tag.ts';
import { triageItem } from '../../shared/items/operations/triage.ts';
import { updateVerbs } from '../../shared/items/operations/update.ts';
import { handlers } from '../support/jobHandlers.ts';

const folder = (path: string): URL => new URL(`../../${path}`, import.meta.url);

describe('law: catalogue', () => {
  it('has the contract’s errors, each with a status and a sentence', () => {
    expect(Object.keys(errors)).to.have.length(36);
    for (const [code, row] of Object.entries(errors)) {
      expect(row.status, code).to.be.within(400, 507);
      expect(row.message, code).to.match(/[.]$/);
    }
  });

  it('makes faults without a stack, as a bulk may refuse 100,000 items, and leaves that of other errors', () => {
    expect(fault('not_found').stack).to.equal(`Error: ${errors.not_found.message}`);
    expect(new Error('Another.').stack).to.include(' at ');
  });

  it('has a handler for every job and a job for every handler', () => {
    expect(Object.keys(handlers).sort()).to.deep.equal(Object.keys(jobs).sort());
  });

  /** Verbs of which PATCH /items/:id alone has the operation. */
  const ofUpdates = updateVerbs({ priority: 'high' });

  it('has an operation for every verb of an inbox but see, create and claim', () => {
    const operations = [setState, assignItem, tagItem, snoozeItem, noteItem, replyToItem, triageItem];
    /** A reply needs further verbs for what is to follow it. */
    const verbOf = ({ verb }: (typeof operations)[number]): string =>
      String(typeof verb === 'function' ? verb({ text: 'x' } as never)[0] : verb);
    expect([...operations.map(verbOf), ...ofUpdates].sort()).to.deep.equal(
      permissions.inbox.filter((verb) => verb !== 'see' && verb !== 'create' && verb !== 'claim').sort(),
    );
    for (const operation of operations) expect(operation.name).to.equal(`item.${verbOf(operation)}`);
  });

  it('has an endpoint for every operation that a caller can perform', () => {
    const verbs = endpoints.flatMap((endpoint) => endpoint.audit?.verb ?? []);
    expect(verbs).to.include('item.update');
    for (const verb of permissions.inbox.filter(
      (name) => name !== 'see' && name !== 'claim' && !ofUpdates.includes(name),
    ))
      expect(verbs, `add an endpoint for item.${verb}`).to.include(`item.${verb}`);
  });

  it('has a section of the console for every settings resource', () => {
    const names: readonly string[] = sections.map(({ name }) => name);
    expect(
      settingsResources.map(({ path }) => path.slice('/settings/'.length)).filter((name) => !names.includes(name)),
      'add a row to api/console/settings/resourceTexts.ts, or a page to SettingsPage.tsx',
    ).to.deep.equal([]);
  });

  it('writes only timeline entries that it names', () => {
    const texts = readdirSync(folder('shared/items/operations')).map((file) =>
      readFileSync(folder(`shared/items/operations/${file}`), 'utf8'),
    );
    const written = texts.flatMap((text) =>
      [...text.matchAll(/type: '([a-z]+)', data/g)].map((match) => match[1] ?? ''),
    );
    expect(written.length).to.be.above(8);
    for (const type of written) expect(entryTypes as readonly string[]).to.include(type);
  });

  it('audits every endpoint that changes something: not tickets, not claims, not what only asks, and not what calls other endpoints', () => {
    const silent = endpoints
      .filter((endpoint) => endpoint.write && endpoint.audit === null)
      .map((endpoint) => endpoint.path);
    expect(silent).to.have.members([
      '/items/claim',
      '/items/:id/claim',
      '/items/:id/release',
      '/available',
      '/ofrep/v1/evaluate/flags',
      '/ofrep/v1/evaluate/flags/:flag',
      '/live/tickets',
      '/mcp',
    ]);
  });
});
