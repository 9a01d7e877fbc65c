/**
 * Markdown of notes, replies and apps as a tree of elements of known kinds, for the console and the HTML of mails: both show
 * the same, and no text is ever read as HTML. What has no element of its own stays as it was written.
 */
import MarkdownIt, { type Token } from 'markdown-it';
import { findLinks, openableUrl } from './links.ts';

/** Bounds of what is read as Markdown: time and elements are at most proportional to them. Texts beyond them stay plain. */
const bounds = { characters: 20_000, tokens: 5_000, depth: 20 } as const;

/** `heading`: of any level, as the outline of the page around it is not the writer's. */
const tags = [
  ...(['p', 'heading', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'hr', 'br', 'a'] as const),
  ...(['table', 'thead', 'tbody', 'tr', 'th', 'td'] as const),
] as const;
export type MarkdownTag = (typeof tags)[number];

export interface MarkdownElement {
  readonly tag: MarkdownTag;
  readonly children: readonly MarkdownNode[];
  /** Of a link. */
  readonly href?: string;
  /** The first number of an ordered list. */
  readonly start?: number;
}
export type MarkdownNode = string | MarkdownElement;

const reader = new MarkdownIt({ html: false, linkify: false, breaks: true, maxNesting: bounds.depth });
// A definition would not be shown, and the text of the mail has it.
reader.disable('reference');
reader.validateLink = (address) => openableUrl(address) !== null;
reader.normalizeLink = (address) => openableUrl(address)?.href ?? address;
reader.normalizeLinkText = (text) => text;

const tagOf = ({ tag }: Token): MarkdownTag =>
  tag === 's' ? 'del' : (tags.find((known) => known === tag) ?? (/^h\d$/.test(tag) ? 'heading' : 'p'));

const link = (href: string, children: readonly MarkdownNode[]): MarkdownElement => ({
  tag: 'a',
  href,
  children: children.length === 0 ? [href] : children,
});

const textOf = (token: Token, attribute: string): string => String(token.attrGet(attribute) ?? '');

/** Returns a token that holds no others. Pictures are links: from elsewhere they would tell their hosts who reads them. */
const leaves = (token: Token, isInLink: boolean): readonly MarkdownNode[] => {
  const { type, content } = token;
  if (type === 'softbreak' || type === 'hardbreak') return [{ tag: 'br', children: [] }];
  if (type === 'hr') return [{ tag: 'hr', children: [] }];
  const code: MarkdownElement = { tag: 'code', children: [content] };
  if (type === 'code_inline') return [code];
  if (type === 'code_block' || type === 'fence') return [{ tag: 'pre', children: [code] }];
  if (type === 'image') return [isInLink ? content : link(textOf(token, 'src'), content === '' ? [] : [content])];
  if (isInLink) return [content];
  return findLinks(content).map((piece) => (typeof piece === 'string' ? piece : link(piece.href, [piece.text])));
};

/** Returns the tree of the tokens; null for one that is too deep. */
const treeOf = (tokens: readonly Token[]): readonly MarkdownNode[] | null => {
  const root: MarkdownNode[] = [];
  const open: { readonly token: Token; readonly children: MarkdownNode[] }[] = [];
  for (const token of tokens) {
    // The paragraphs of a list without empty lines.
    if (token.hidden) continue;
    const last = open.at(-1);
    if (token.nesting === 1) open.push({ token, children: [] });
    else if (token.nesting === 0)
      (last?.children ?? root).push(
        ...leaves(
          token,
          open.some((around) => around.token.tag === 'a'),
        ),
      );
    else if (last !== undefined) {
      open.pop();
      const { token: begin, children } = last;
      const start = begin.attrGet('start');
      (open.at(-1)?.children ?? root).push(
        begin.tag === 'a'
          ? link(textOf(begin, 'href'), children)
          : { tag: tagOf(begin), children, ...(start === null ? {} : { start: Number(start) }) },
      );
    }
    // Deeper blocks are dropped by the reader.
    if (open.length >= bounds.depth - 1) return null;
  }
  return root;
};

/** Returns a text's Markdown as a tree; null for a text beyond the bounds, which is shown as it was written. */
export const readMarkdown = (text: string): readonly MarkdownNode[] | null => {
  if (text.length > bounds.characters) return null;
  const tokens = reader.parse(text, {}).flatMap((token) => (token.type === 'inline' ? (token.children ?? []) : token));
  return tokens.length > bounds.tokens ? null : treeOf(tokens);
};

/** Returns the words of a part of a tree. */
export const markdownWords = (node: MarkdownNode): string =>
  typeof node === 'string' ? node : node.children.map(markdownWords).join('');

/** The longest text between the braces, so that a text of braces takes no time. */
const placeholder = /\{\{[^{}\n]{1,80}\}\}/g;

/** Returns the first places in the texts that read `{{name}}`, each once; nothing fills them in. */
export const placeholdersIn = (...texts: readonly string[]): string[] =>
  [...new Set(texts.flatMap((text) => text.match(placeholder) ?? []))].slice(0, 3);
