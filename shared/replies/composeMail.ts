/**
 * Composes the e-mail of a reply: its text as it was written, and as HTML what the console shows of its Markdown. The Message-ID
 * is made of the entry's id, so that mail programs recognise a repeat. For deliverReply.ts.
 */
import MailComposer from 'nodemailer/lib/mail-composer';
import type { ReplySender } from '../items/replyAddress.ts';
import { findLinks, hostToShow } from '../platform/words/links.ts';
import { markdownWords, readMarkdown, type MarkdownNode } from '../platform/words/markdown.ts';

interface ReplyMail {
  /** The id of the reply's timeline entry. */
  readonly delivery: string;
  readonly from: ReplySender;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** When the reply was written, epoch milliseconds. */
  readonly at: number;
  /** Message-IDs of the mails before it, the one that it replies to last. */
  readonly references: readonly string[];
  /** Whether an agent wrote it, so that no other program answers it. */
  readonly isAutomatic: boolean;
}

/** Returns the Message-ID of a reply's mail. */
export const messageIdOf = (delivery: string, { domain }: ReplySender): string => `<${delivery}@${domain}>`;

export interface MailEnvelope {
  readonly from: string;
  readonly to: string;
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${String(sign.charCodeAt(0))};`);

const linkHtml = (href: string, words: string, inner: string): string => {
  const host = hostToShow(words, href);
  return `<a href="${escaped(href)}">${inner}</a>${host === null ? '' : ` (<bdi>${escaped(host)}</bdi>)`}`;
};

const nodeHtml = (node: MarkdownNode): string => {
  if (typeof node === 'string') return escaped(node);
  const { tag, children, href = '', start = 1 } = node;
  const inner = children.map(nodeHtml).join('');
  if (tag === 'br' || tag === 'hr') return `<${tag}>`;
  if (tag === 'a') return linkHtml(href, markdownWords(node), inner);
  if (tag === 'heading') return `<p><strong>${inner}</strong></p>`;
  return `<${tag}${tag === 'ol' ? ` start="${String(start)}"` : ''}>${inner}</${tag}>`;
};

/** Returns a reply as HTML; a text that is not read as Markdown stands as it was written. */
const replyHtml = (text: string): string => {
  const nodes = readMarkdown(text);
  const plain = (): string =>
    findLinks(text)
      .map((piece) =>
        typeof piece === 'string' ? escaped(piece) : linkHtml(piece.href, piece.text, escaped(piece.text)),
      )
      .join('');
  return `<!doctype html><html><body dir="auto"${nodes === null ? ' style="white-space:pre-wrap"' : ''}>${nodes?.map(nodeHtml).join('') ?? plain()}</body></html>`;
};

/** Returns the message text (RFC 5322). Addresses are passed as objects, so that no part is parsed as a further address; no file or URL is read. */
export const composeMail = async (mail: ReplyMail): Promise<Buffer> => {
  const { delivery, from, to, subject, text, at, references, isAutomatic } = mail;
  const inReplyTo = references.at(-1);
  return new MailComposer({
    from: { name: from.name, address: from.address },
    to: { name: '', address: to },
    subject,
    text,
    html: replyHtml(text),
    ...(inReplyTo === undefined ? {} : { inReplyTo, references: [...references] }),
    ...(isAutomatic ? { headers: { 'Auto-Submitted': 'auto-replied' } } : {}),
    date: new Date(at),
    messageId: messageIdOf(delivery, from),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
};
