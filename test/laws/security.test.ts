/** Every promise of docs/security.md names a test that exists: a sentence without one goes, or gets one in securityPromises.ts. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { promises } from './securityPromises.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** Returns the promises of a row of the table: who, and each thing that they can't. */
const ofRow = (line: string): string[] => {
  const [who = '', , cannot = ''] = line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
  return cannot.split('; ').map((one) => `${who}: ${one}`);
};

const ofText = (line: string): string[] => line.replace(/^- /, '').split(/(?<=\.)\s+(?=[A-Z`])/);

/** Returns the sentences between the introduction and what is not protected. */
const sentencesOf = (document: string): string[] => {
  const [promised = ''] = document.split('## What is not protected');
  return promised
    .slice(promised.indexOf('\n## '))
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^(?:## |\| -|\| Who \|)/.test(line))
    .flatMap((line) => (line.startsWith('|') ? ofRow(line) : ofText(line)));
};

describe('law: security', () => {
  const sentences = sentencesOf(read('docs/security.md'));

  it('has a test for each sentence of docs/security.md', () => {
    const known = promises.map(({ sentence }) => sentence);
    expect(sentences.length).to.be.above(60);
    expect(
      sentences.filter((sentence) => !known.includes(sentence)),
      'name a test in test/laws/securityPromises.ts, or leave the sentence out',
    ).to.deep.equal([]);
    expect(
      known.filter((sentence) => !sentences.includes(sentence)),
      'docs/security.md does not say this any more',
    ).to.deep.equal([]);
  });

  it('names tests that are there', () => {
    const missing = promises.filter(({ file, title }) => !read(file).includes(title));
    expect(missing.map(({ file, title }) => `${file} › ${title}`)).to.deep.equal([]);
  });
});
