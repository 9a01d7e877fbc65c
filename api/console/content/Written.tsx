/** A text exactly as it was written, with its line breaks, and with the addresses in it as links. Used by values, messages of customers and Markdown. */
import { Fragment, type ReactNode } from 'react';
import { findLinks, hostToShow, openableUrl } from '../../../shared/platform/words/links.ts';

interface WebLinkProps {
  readonly url: string;
  /** The words of the link. */
  readonly words: string;
  /** How the words are shown; absent: as they are. */
  readonly children?: ReactNode;
}

/** A link to an address that others wrote: of the web or of mail, else its words alone. It says where it leads unless its words do. Used wherever a link is shown. */
export const WebLink = ({ url, words, children = words }: WebLinkProps) => {
  if (openableUrl(url) === null) return <span>{children}</span>;
  const host = hostToShow(words, url);
  return (
    <>
      <a href={url} target="_blank" rel="noopener noreferrer" title={url}>
        <bdi>{children}</bdi>
      </a>
      {host !== null && (
        <span className="soft">
          {' '}
          (<bdi>{host}</bdi>)
        </span>
      )}
    </>
  );
};

interface WrittenProps {
  readonly text: string;
  /** Returns a piece of the text as it is shown. */
  readonly show?: (piece: string) => string;
}

const asItIs = (piece: string): string => piece;

export const WithLinks = ({ text, show = asItIs }: WrittenProps) =>
  findLinks(text).map((piece, at) => (
    <Fragment key={at}>
      {typeof piece === 'string' ? (
        show(piece)
      ) : (
        <WebLink url={piece.href} words={piece.text}>
          {show(piece.text)}
        </WebLink>
      )}
    </Fragment>
  ));

export const PlainText = ({ text }: Pick<WrittenProps, 'text'>) => (
  <p className="prose" dir="auto">
    <WithLinks text={text} />
  </p>
);
