/** Pages of which most rows are hidden: whole within their time, and short beyond it, with nothing left out between pages. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { readVisiblePage } from '../../../shared/platform/listing/page.ts';

const rows = Array.from({ length: 500 }, (_, n) => n);
const isShown = (n: number): boolean => n % 120 === 119;

describe('pages of rows that are mostly hidden', () => {
  const pageFrom = (from: number, pageMs?: number) => {
    let reads = 0;
    const page = readVisiblePage(
      {
        from,
        limit: 3,
        positionOf: (n: number) => n,
        read: async (place, wanted) => {
          reads += 1;
          await wait(2);
          return rows.slice(place + 1, place + 1 + wanted);
        },
        ...(pageMs === undefined ? {} : { pageMs }),
      },
      (n) => (isShown(n) ? n : null),
    );
    return page.then((found) => ({ ...found, reads }));
  };

  it('have a next page only if it shows something', async () => {
    const first = await pageFrom(-1, 60_000);
    expect([first.page, first.next]).to.deep.equal([[119, 239, 359], 359]);
    const last = await pageFrom(359, 60_000);
    expect([last.page, last.next]).to.deep.equal([[479], null]);
  });

  it('end early when reading takes too long, and go on where they ended', async () => {
    const seen: number[] = [];
    let [pages, from] = [0, -1];
    for (let next: number | null = from; next !== null; pages += 1) {
      from = next;
      const found = await pageFrom(from, 6);
      expect(found.reads).to.be.at.most(4);
      seen.push(...found.page);
      next = found.next;
    }
    expect(seen).to.deep.equal(rows.filter(isShown));
    expect(pages).to.be.above(20);
  });

  describe('that are read a few at a time as they are large', () => {
    const large = Array.from({ length: 6 }, (_, n) => n);
    /** Returns the page from the begin, of rows of which two are read at once. */
    const pageOf = async (shown: (n: number) => boolean) => {
      const { page, next } = await readVisiblePage(
        {
          from: -1,
          limit: 50,
          positionOf: (n: number) => n,
          read: (place) => Promise.resolve(large.slice(place + 1, place + 3)),
          isCutBehind: (n) => n % 2 === 1 && n < 5,
          pageMs: 60_000,
        },
        (n) => (shown(n) ? n : null),
      );
      return [page, next];
    };

    it('end behind the last that is shown, once they have any', async () => {
      expect(await pageOf(() => true)).to.deep.equal([[0, 1], 1]);
      expect(await pageOf((n) => n === 1 || n === 5)).to.deep.equal([[1], 1]);
    });

    it('are not empty before what is shown, and have no next page behind which nothing is', async () => {
      expect(await pageOf((n) => n === 5)).to.deep.equal([[5], null]);
      expect(await pageOf((n) => n === 0)).to.deep.equal([[0], null]);
      expect(await pageOf(() => false)).to.deep.equal([[], null]);
    });
  });
});
