/** The documents of the API keep Spectral's own rules, each as it comes, but for what a rule does not know of WebSockets. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { buildAsyncApiDocument } from '../../api/asyncapi.ts';
import { endpoints } from '../../api/endpoints.ts';
import { buildOpenApiDocument } from '../../api/openapi.ts';
import { lockFaults } from '../services/checkLock.mjs';
import { loadSpectral, spectralPackages } from '../support/spectral.ts';

const publicUrl = 'https://console.example.org';

/** Returns the errors and warnings of Spectral's own ruleset for a document, hints left out: rule, place and message, in order. */
const lint = async (document: object, ruleset: 'oas' | 'asyncapi'): Promise<string[]> => {
  const { core, rulesets } = await loadSpectral();
  const spectral = new core.Spectral();
  spectral.setRuleset({ extends: [rulesets[ruleset]] });
  const found = await spectral.run(document);
  return found
    .filter(({ severity }) => severity <= 1)
    .map(({ code, path, message }) => `${String(code)}: ${path.join(' ')}: ${message}`)
    .toSorted();
};

describe('the documents of the API, as Spectral sees them', function () {
  // The first run of a clone installs some 150 packages.
  this.timeout(600_000);

  it('is installed from a lock that serves every machine', () => {
    const lock: unknown = JSON.parse(readFileSync(join(spectralPackages, 'package-lock.json'), 'utf8'));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- npm has written the file
    expect(lockFaults(lock as Parameters<typeof lockFaults>[0])).to.deep.equal([]);
  });

  it('finds neither errors nor warnings in OpenAPI, but that an upgrade answers 101', async () => {
    // The rule asks for a 2xx or 3xx; what HTTP answers to an upgrade is 101.
    const upgrades = ['/app', '/live'].map(
      (path) =>
        `operation-success-response: paths ${path} get responses: Operation must have at least one "2xx" or "3xx" response.`,
    );
    expect(await lint(buildOpenApiDocument(endpoints, publicUrl), 'oas')).to.deep.equal(upgrades);
  });

  it('finds neither errors nor warnings in AsyncAPI, but that the contact has no address', async () => {
    // The program knows nobody's e-mail address.
    expect(await lint(buildAsyncApiDocument(publicUrl), 'asyncapi')).to.deep.equal([
      'asyncapi-info-contact-properties: info contact: Contact object must have "name", "url" and "email".',
    ]);
  });

  it('finds a fault that is put into either', async () => {
    const open = { ...buildOpenApiDocument(endpoints, publicUrl), tags: [] };
    expect((await lint(open, 'oas')).some((line) => line.startsWith('operation-tag-defined'))).to.equal(true);
    const streams = { ...buildAsyncApiDocument(publicUrl), channels: 1 };
    expect((await lint(streams, 'asyncapi')).length).to.be.above(0);
  });
});
