/** Composes the e-mail of a reply: plain text, with a Message-ID made of the entry's id, so that mail programs recognise a repeat. For deliverReply.ts. */
import MailComposer from 'nodemailer/lib/mail-composer';
import type { ReplySender } from '../items/replyAddress.ts';

interface ReplyMail {
  /** The id of the reply's timeline entry. */
  readonly delivery: string;
  readonly from: ReplySender;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** When the reply was written, epoch milliseconds. */
  readonly at: number;
}

export interface MailEnvelope {
  readonly from: string;
  readonly to: string;
}

/** Returns the message text (RFC 5322). Addresses are passed as objects, so that no part is parsed as a further address; no file or URL is read. */
export const composeMail = async ({ delivery, from, to, subject, text, at }: ReplyMail): Promise<Buffer> =>
  new MailComposer({
    from: { name: from.name, address: from.address },
    to: { name: '', address: to },
    subject,
    text,
    date: new Date(at),
    messageId: `<${delivery}@${from.domain}>`,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
