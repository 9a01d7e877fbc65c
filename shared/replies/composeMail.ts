/** A reply as an e-mail: plain text, its Message-ID made from the entry's id, so that a repeat is known as one. */
import MailComposer from 'nodemailer/lib/mail-composer';
import type { ReplySender } from '../items/replyAddress.ts';

interface ReplyMail {
  /** The entry's id. */
  readonly delivery: string;
  readonly from: ReplySender;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** When it was asked for, ms. */
  readonly at: number;
}

export interface MailEnvelope {
  readonly from: string;
  readonly to: string;
}

/** Addresses go in as objects, so that nothing in them is read as another address; files and addresses are never fetched. */
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
