/** How texts of others are read: Markdown within bounds, addresses as links, and where links lead. */
import { expect } from 'chai';
import fc from 'fast-check';
import { findLinks, hostToShow } from '../../../shared/platform/words/links.ts';
import { markdownWords, readMarkdown, type MarkdownNode } from '../../../shared/platform/words/markdown.ts';
import { worstTexts } from '../../support/worstTexts.ts';

/** As many characters as a note, a reply or the data of an item may have. */
const most = 65_536;

const countNodes = (nodes: readonly MarkdownNode[]): number =>
  nodes.reduce((sum, node) => sum + 1 + (typeof node === 'string' ? 0 : countNodes(node.children)), 0);
const depthOf = (nodes: readonly MarkdownNode[]): number =>
  Math.max(0, ...nodes.map((node) => (typeof node === 'string' ? 0 : 1 + depthOf(node.children))));
const joined = (text: string): string =>
  findLinks(text)
    .map((piece) => (typeof piece === 'string' ? piece : piece.text))
    .join('');
const linked = (text: string): string[] =>
  findLinks(text).flatMap((piece) => (typeof piece === 'string' ? [] : [`${piece.text} ${piece.href}`]));

describe('Markdown', () => {
  it('of the worst texts is a bounded tree or plain, whatever their length', () => {
    for (const length of [2_000, 20_000, most])
      for (const [name, text] of worstTexts(length)) {
        const nodes = readMarkdown(text) ?? [];
        expect(countNodes(nodes), `${name} × ${String(length)}`).to.be.at.most(20_000);
        expect(depthOf(nodes), name).to.be.at.most(25);
      }
  });

  it('loses none of the words of a text, and makes none of them into HTML', () => {
    expect(readMarkdown('**a** <b>x</b> &lt;i&gt; \\*y\\*')).to.deep.equal([
      { tag: 'p', children: [{ tag: 'strong', children: ['a'] }, ' <b>x</b> <i> *y*'] },
    ]);
    for (const kept of [
      '2 * 3 and 4 * 5',
      'snake_case_name',
      'C:\\dir',
      '[a]: https://x.example',
      '[c](javascript:alert(1))',
      '- [ ] todo',
    ])
      expect((readMarkdown(kept) ?? []).map(markdownWords).join(''), kept).to.equal(kept.replace(/^- /, ''));
  });

  it('nests as deep as people write, and is plain beyond', () => {
    expect(depthOf(readMarkdown(`${'> '.repeat(12)}a`) ?? [])).to.equal(13);
    expect(readMarkdown(`${'> '.repeat(30)}a`)).to.equal(null);
    expect(readMarkdown(`${'*a **b '.repeat(100)}${'c** d*'.repeat(100)}`)).to.equal(null);
  });
});

describe('links', () => {
  it('are found in a text, which stays as it was written', () => {
    expect(
      linked('See (https://a.example/b_(c)), www.d.example. "http://e.example/?f=g;" or ana+x@h.example!'),
    ).to.deep.equal([
      'https://a.example/b_(c) https://a.example/b_(c)',
      'www.d.example http://www.d.example/',
      'http://e.example/?f=g http://e.example/?f=g',
      'ana+x@h.example mailto:ana+x@h.example',
    ]);
    expect(linked('dashboard-web@2026.11.25, v1@2.0 and kim@a.example')).to.deep.equal([
      'kim@a.example mailto:kim@a.example',
    ]);
    expect(
      linked('2*3 a@b http:// https://? www. xhttps://a.example ftp://a.example javascript:x //a.example'),
    ).to.deep.equal([]);
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string({ unit: 'grapheme' }),
            fc.constantFrom('https://', 'www.', 'a@b.c', '(', ')', '.', ' ', '\n', '\u202e'),
          ),
        ),
        (pieces) => {
          expect(joined(pieces.join(''))).to.equal(pieces.join(''));
        },
      ),
    );
    for (const [name, text] of worstTexts(most)) expect(joined(text) === text, name).to.equal(true);
  });

  it('say where they lead unless their words are exactly the host or the address', () => {
    const same = [
      ['paypal.com', 'https://paypal.com'],
      ['paypal.com', 'https://paypal.com/login?x=1'],
      ['https://paypal.com/login', 'https://paypal.com/login'],
      ['paypal.com/login', 'https://paypal.com/login'],
      [' www.example.com ', 'http://www.example.com/'],
      ['a.example:8080', 'https://a.example:8080/'],
      ['ana@example.com', 'mailto:ana@example.com'],
    ] as const;
    for (const [words, url] of same) expect(hostToShow(words, url), `${words} ${url}`).to.equal(null);
    const others = [
      ['paypal.com', 'https://aypal.com', 'aypal.com'],
      ['paypal.com', 'https://paypal.com.evil.example', 'paypal.com.evil.example'],
      ['evil.example.paypal.com', 'https://evil.example', 'evil.example'],
      ['paypal.com', 'https://login.paypal.com', 'login.paypal.com'],
      ['https://paypal.com@evil.example/', 'https://paypal.com@evil.example/', 'evil.example'],
      ['https://paypal.com/a', 'https://paypal.com/b', 'paypal.com'],
      ['paypal.com evil.example', 'https://evil.example', 'evil.example'],
      ['evil.example is paypal.com', 'https://evil.example', 'evil.example'],
      ['paypaI.com', 'https://paypaI.com', 'paypai.com'],
      ['pаypal.com', 'https://pаypal.com', 'xn--pypal-4ve.com'],
      ['paypal.com', 'https://paypal。com.evil.example', 'paypal.com.evil.example'],
      ['paypal.com', 'http:\\\\evil.example', 'evil.example'],
      ['\u202emoc.live', 'https://evil.com', 'evil.com'],
      ['paypal.com\u200b', 'https://paypal.com', 'paypal.com'],
      ['', 'https://evil.example', 'evil.example'],
      ['ana@example.com', 'mailto:eve@example.com', 'eve@example.com'],
      ['example.com', 'mailto:eve@example.com', 'eve@example.com'],
    ] as const;
    for (const [words, url, host] of others) expect(hostToShow(words, url), `${words} ${url}`).to.equal(host);
    for (const url of ['javascript:alert(1)', 'data:text/html,x', '/here', 'ftp://a.example'])
      expect(hostToShow('x', url), url).to.equal(null);
  });
});
