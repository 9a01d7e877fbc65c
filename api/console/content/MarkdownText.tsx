/** Markdown as elements of known kinds: the same that a mail shows. Loaded by Blocks.tsx. */
import { createElement, Fragment, useMemo, type ReactNode } from 'react';
import {
  markdownWords,
  readMarkdown,
  type MarkdownElement,
  type MarkdownNode,
  type MarkdownTag,
} from '../../../shared/platform/words/markdown.ts';
import { contentTexts } from './texts.tsx';
import { PlainText, WebLink } from './Written.tsx';

type Draw = (inner: ReactNode, node: MarkdownElement) => ReactNode;

/** Elements that need more than their tag. */
const own: Partial<Record<MarkdownTag, Draw>> = {
  a: (inner, node) => (
    <WebLink url={node.href ?? ''} words={markdownWords(node)}>
      {inner}
    </WebLink>
  ),
  heading: (inner) => (
    <p className="md-heading" dir="auto">
      {inner}
    </p>
  ),
  p: (inner) => <p dir="auto">{inner}</p>,
  li: (inner) => <li dir="auto">{inner}</li>,
  ol: (inner, { start = 1 }) => <ol start={start}>{inner}</ol>,
  pre: (inner) => <pre tabIndex={0}>{inner}</pre>,
  table: (inner) => (
    <div className="table" tabIndex={0} role="group" aria-label={contentTexts.table}>
      <table>{inner}</table>
    </div>
  ),
  hr: () => <hr />,
  br: () => <br />,
};

const element = (node: MarkdownElement): ReactNode => {
  const inner = drawn(node.children);
  return own[node.tag]?.(inner, node) ?? createElement(node.tag, null, inner);
};

const drawn = (nodes: readonly MarkdownNode[]): ReactNode =>
  nodes.map((node, at) => <Fragment key={at}>{typeof node === 'string' ? node : element(node)}</Fragment>);

export const MarkdownText = ({ text }: { readonly text: string }) => {
  const nodes = useMemo(() => readMarkdown(text), [text]);
  return nodes === null ? (
    <PlainText text={text} />
  ) : (
    <div className="prose markdown" dir="auto">
      {drawn(nodes)}
    </div>
  );
};
