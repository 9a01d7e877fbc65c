/** Parts of documents that are printed from code, between `<!-- mark -->` and `<!-- /mark -->`. Used by the laws of documents. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';

/** Throws, with the command to run, when the part `mark` of a document differs from `wanted`; with UPDATE_DOCS=1 prints it there. */
export const expectPrinted = (path: string, mark: string, wanted: string, command: string): void => {
  const file = new URL(`../../${path}`, import.meta.url);
  const text = readFileSync(file, 'utf8');
  const [head = '', rest = ''] = text.split(`<!-- ${mark} -->`);
  const [printed = '', tail = ''] = rest.split(`<!-- /${mark} -->`);
  if (process.env['UPDATE_DOCS'] === '1') {
    writeFileSync(file, `${head}<!-- ${mark} -->\n${wanted}\n<!-- /${mark} -->${tail}`);
    return;
  }
  expect(printed.trim(), `${path} is behind the code: run UPDATE_DOCS=1 ${command}`).to.equal(wanted.trim());
};
