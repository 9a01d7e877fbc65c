/**
 * Markdown as elements. The text becomes a tree of tokens, and each token an element of a known kind: no text is ever
 * parsed as HTML, and what has no element of its own is shown as it was written. Loaded by Markdown.tsx.
 */
import { lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { Fragment, useMemo, type ReactNode } from 'react';
import { contentTexts } from './texts.ts';
import { WebLink } from './WebLink.tsx';

/** Deeper nesting is shown as it was written. */
const depthMax = 12;

const parse = (text: string): readonly Token[] | null => {
  try {
    return lexer(text, { gfm: true, breaks: true });
  } catch {
    // Thousands of nested quotes exhaust the stack of the parser.
    return null;
  }
};

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');

/** A link says where it leads unless its words do. */
const Linked = ({
  href,
  text,
  children,
}: {
  readonly href: string;
  readonly text: string;
  readonly children: ReactNode;
}) => {
  const host = hostOf(href);
  return (
    <>
      <WebLink url={href}>{text === '' ? href : children}</WebLink>
      {host !== '' && !text.includes(host) && <span className="soft"> ({host})</span>}
    </>
  );
};

const Rows = ({ table, depth }: { readonly table: Tokens.Table; readonly depth: number }) => (
  <div className="table" tabIndex={0} role="group" aria-label={contentTexts.table}>
    <table>
      <thead>
        <tr>
          {table.header.map(({ tokens }, at) => (
            <th key={at}>{shown(tokens, depth)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((row, at) => (
          <tr key={at}>
            {row.map(({ tokens }, column) => (
              <td key={column}>{shown(tokens, depth)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const List = ({ list, depth }: { readonly list: Tokens.List; readonly depth: number }) => {
  const items = list.items.map(({ tokens }, at) => (
    <li key={at} dir="auto">
      {shown(tokens, depth)}
    </li>
  ));
  return list.ordered ? <ol start={typeof list.start === 'number' ? list.start : 1}>{items}</ol> : <ul>{items}</ul>;
};

const element = (token: MarkedToken, depth: number): ReactNode => {
  const inner = (tokens: readonly Token[] | undefined): ReactNode => shown(tokens ?? [], depth + 1);
  switch (token.type) {
    case 'space':
      return null;
    case 'paragraph':
      return <p dir="auto">{inner(token.tokens)}</p>;
    case 'heading':
      // Not a heading of the page, whose outline is not the writer's.
      return (
        <p className="md-heading" dir="auto">
          {inner(token.tokens)}
        </p>
      );
    case 'text':
      return token.tokens === undefined ? token.text : inner(token.tokens);
    case 'escape':
      return token.text;
    case 'strong':
      return <strong>{inner(token.tokens)}</strong>;
    case 'em':
      return <em>{inner(token.tokens)}</em>;
    case 'del':
      return <del>{inner(token.tokens)}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'code':
      return (
        <pre tabIndex={0}>
          <code>{token.text}</code>
        </pre>
      );
    case 'blockquote':
      return <blockquote>{inner(token.tokens)}</blockquote>;
    case 'list':
      return <List list={token} depth={depth + 1} />;
    case 'table':
      return <Rows table={token} depth={depth + 1} />;
    case 'hr':
      return <hr />;
    case 'br':
      return <br />;
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'link':
      return (
        <Linked href={token.href} text={token.text}>
          {inner(token.tokens)}
        </Linked>
      );
    case 'image':
      // Pictures from elsewhere would tell their hosts who reads them.
      return (
        <Linked href={token.href} text={token.text}>
          {token.text}
        </Linked>
      );
    case 'html':
    case 'def':
    case 'list_item':
      return token.raw;
    default:
      return null;
  }
};

const shown = (tokens: readonly Token[], depth: number): ReactNode =>
  tokens.map((token, at) => (
    <Fragment key={at}>
      {/* oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no extension adds tokens of other kinds */}
      {depth > depthMax ? token.raw : element(token as MarkedToken, depth)}
    </Fragment>
  ));

export const MarkdownText = ({ text }: { readonly text: string }) => {
  const tokens = useMemo(() => parse(text), [text]);
  return tokens === null ? (
    <p className="prose" dir="auto">
      {text}
    </p>
  ) : (
    <div className="prose markdown" dir="auto">
      {shown(tokens, 0)}
    </div>
  );
};
