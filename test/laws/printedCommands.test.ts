/** Every command that docs/alerts.md, docs/growing.md, docs/operators.md and docs/production.md print is run by a test, as the role that they name. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../../shared/tools/services/paths.mjs';
import { readAlertCommands, readAlertRules } from '../support/alerts.ts';
import { readFences, runBy } from '../support/printedFences.ts';

describe('law: printed commands', () => {
  it('each fence of docs/growing.md, docs/operators.md and docs/production.md has a test that runs it', () => {
    const fences = (['growing', 'operators', 'production'] as const).flatMap((name) =>
      readFences(name).map((fence) => fence.name),
    );
    expect(fences).to.have.members(Object.keys(runBy));
    for (const [name, [file, title]] of Object.entries(runBy)) {
      if (file === null) continue;
      expect(existsSync(join(root, file)), `${name}: ${file}`).to.equal(true);
      expect(readFileSync(join(root, file), 'utf8'), `${name}: ${file}`).to.include(title);
    }
  });

  it('each fence of docs/alerts.md stands under an alert, whose commands runbooks.test.ts runs', () => {
    const run = readAlertRules().flatMap(({ alert }) => readAlertCommands(alert));
    expect(readFences('alerts').flatMap(({ text }) => text.split('\n'))).to.have.members(run);
  });
});
