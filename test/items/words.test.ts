/** What queries find: every text by each of its words and parts, in any script, also where the release before has cut one of the two. */
import { expect } from 'chai';
import fc from 'fast-check';
import {
  alternativesOf,
  foldText,
  queryWords,
  textFinder,
  titleWords,
} from '../../shared/platform/words/searchWords.ts';

/** Returns whether a query finds a text by its words, as indexes do. */
const finds = (words: readonly string[], query: string): boolean =>
  queryWords(query).every((part) => alternativesOf(part).some((one) => words.some((word) => word.startsWith(one))));

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const prefixes = (word: string): string[] =>
  [...graphemes.segment(word)].map(({ index, segment }) => word.slice(0, index + segment.length));

const few = <T>(values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const letters =
  'a Z 4 é e\u0301 ß ẞ İ ı ς Σ ø Ł æ ﬁ ſ µ Й ё ế 한 글 \u1112\u1161 注 文 ガ ｶﾞ ー ไ ท\u0e34 हि न्दी بِ آ שָ Ａ １ ² ① ℃ №'.split(
    ' ',
  );
const signs =
  '( ) [ ] < > # @ / . , ! … * _ - \u2011 – − & | \\ :* % \' ’ ‘ ´ " “ ” « 「 。 \u00ad \u200b \u200d \ufeff \u0301 😀 👩‍👩‍👧 ¨ \u0001'.split(
    ' ',
  );
const word = fc.oneof(
  fc
    .array(fc.oneof({ weight: 3, arbitrary: few(letters) }, few(signs)), { minLength: 1, maxLength: 9 })
    .map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
);
const text = fc.array(word, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(' '));

describe('words of texts and queries', () => {
  it('find each text by the beginning of any word, by any word without the signs around it, by any run and as a whole', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const words = titleWords(whole);
        expect(finds(words, whole), 'whole').to.equal(true);
        for (const written of whole.split(/(?:(?!\ufeff)\s)+/u).filter((one) => one !== '')) {
          for (const beginning of prefixes(written)) expect(finds(words, beginning), beginning).to.equal(true);
          const inside = written.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}\p{M}]+$/gu, '');
          for (const part of [inside, ...(written.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [])])
            for (const beginning of prefixes(part))
              expect(finds(words, beginning), `${beginning} of ${part}`).to.equal(true);
        }
      }),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? '3000') },
    );
  });

  it('find a word whatever quotes, brackets and signs of emphasis or of the end of a sentence a query has around it', () => {
    const plain = few(['ana@example.com', 'hiroshi', '#48213', 'c++', 'état', '한글', '50%', '_id', '-5']);
    const before = few([
      '<',
      '<<',
      '(',
      '[',
      '{',
      '«',
      '“',
      '‹',
      '"',
      "'",
      '＜',
      '（',
      '「',
      '*',
      '**',
      '`',
      '~~',
      '(<',
      '¿',
      '',
    ]);
    const behind = few([
      '>',
      '>>',
      ')',
      ']',
      '}',
      '»',
      '”',
      '›',
      '"',
      "'",
      '＞',
      '）',
      '」',
      '*',
      '**',
      '`',
      '>.',
      '>)',
      '…',
      '>?!',
      '',
    ]);
    fc.assert(
      fc.property(before, plain, behind, text, (left, bare, right, more) => {
        const asked = left + bare + right;
        expect(finds(titleWords(bare), asked), asked).to.equal(true);
        expect(finds(titleWords(`${more} ${left}${bare}${right}`), bare), `${bare} of ${asked}`).to.equal(true);
        expect(finds(titleWords(bare), `${left}${bare}x${right}`), `${asked} with an x`).to.equal(false);
      }),
      { numRuns: 2000 },
    );
    expect(finds(titleWords('Write to <ana@example.com>'), 'ana@example.com>')).to.equal(true);
    expect(textFinder('<Hiroshi>')('Hiroshi Tanaka')).to.equal(true);
  });

  it('are those of a folded text, which folding leaves as it is', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const folded = foldText(whole);
        expect(foldText(folded)).to.equal(folded);
        expect(finds(titleWords(whole), folded)).to.equal(true);
        expect(finds(titleWords(folded), whole)).to.equal(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('are the same of a text of ASCII characters alone and beside another', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', maxLength: 60 }), (plain) => {
        expect(titleWords(`${plain} ж`)).to.have.members([...titleWords(plain), 'ж']);
        expect(queryWords(`${plain} ж`)).to.have.members([...queryWords(plain), 'ж']);
      }),
    );
  });

  it('take time in proportion to the text, whatever it is of', () => {
    // Each would take seconds if its signs were looked through again for each of them.
    for (const sign of ['(', '"', ')', 'a)', '¨', 'é', '한', '\u0301', '\u00ad', 'a\u0301'])
      expect(titleWords(sign.repeat(8192)).length, sign).to.be.greaterThan(-1);
  });

  /** The cut of the release before, as it was. */
  const formerFold = (whole: string): string => whole.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');
  const unspaced =
    /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
  const formerWords = (whole: string): string[] =>
    formerFold(whole)
      .split(/\s+/u)
      .filter((one) => one !== '')
      .flatMap((written) => [written, ...(written.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])]);
  const formerQuery = (query: string): string[] =>
    formerFold(query)
      .split(/\s+/u)
      .filter((one) => one !== '')
      .map((one) =>
        one
          .replace(/^["'“”„‘’«»‹›([{¿¡]+(?=.*[\p{L}\p{N}])/u, '')
          .replace(/(?<=[\p{L}\p{N}\p{M}])["'“”’«»‹›)\]}?!.,;:…]+$/u, ''),
      );

  it('find what the release before has written, and are found by it, wherever it finds its own', () => {
    fc.assert(
      fc.property(
        text.filter((whole) => !unspaced.test(whole)),
        fc.nat(200),
        (whole, length) => {
          const query = whole.slice(0, length).toWellFormed();
          const former = formerWords(whole);
          const found = (words: readonly string[], parts: readonly string[]): boolean =>
            parts.every((part) => words.some((one) => one.startsWith(part)));
          if (!found(former, formerQuery(query))) return;
          expect(finds(former, query), 'its rows').to.equal(true);
          expect(found(titleWords(whole), formerQuery(query)), 'its queries').to.equal(true);
        },
      ),
      { numRuns: 3000 },
    );
  });
});
