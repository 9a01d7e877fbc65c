/**
 * Brings a reply to the customer, by the app or by a mail server, and says what became of it. `onHandOver` is awaited
 * before anything is given out of hand, so that a reply that may have been sent is never sent again.
 */
import { rpcCodes } from '../applink/protocol.ts';
import { fullAccess } from '../access/access.ts';
import type { DomainDeps } from '../settings/deps.ts';
import type { Environment, Inbox } from '../environments/definition.ts';
import type { Item } from '../items/model.ts';
import { itemJson } from '../items/present.ts';
import { customerAddress, senderOf } from '../items/replyAddress.ts';
import type { AskedReply } from './asked.ts';
import { composeLetter } from './message.ts';
import { openMailServer, type MailServer } from './smtp.ts';

export type Delivery =
  | { readonly kind: 'sent' }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'unknown'; readonly error: string }
  /** It was not given out of hand, or was given back: it may be tried again. */
  | { readonly kind: 'later'; readonly error: string }
  | { readonly kind: 'offline' };

export interface Outgoing {
  readonly env: Environment;
  readonly inbox: Inbox;
  readonly item: Item;
  readonly asked: AskedReply;
  readonly onHandOver: () => Promise<void>;
}

/** How long the app may take, in ms. */
const appMs = 60_000;

const failed = (error: string): Delivery => ({ kind: 'failed', error });

const handedTo = 'The app was given it and gave no answer.';
/** The app has not looked at it. */
const unseenCodes: readonly number[] = [rpcCodes.methodNotFound, rpcCodes.invalidParams, rpcCodes.invalidRequest, rpcCodes.parseError];

const byApp = async ({ link }: DomainDeps, { env, inbox, item, asked, onHandOver }: Outgoing): Promise<Delivery> => {
  const declares = { kind: 'inbox', name: inbox.name } as const;
  if (!(await link.online(env.id, declares))) return { kind: 'offline' };
  await onHandOver();
  const { subject, text, actor, entry } = asked;
  const outcome = await link.call(env.id, 'reply.send', { item: JSON.parse(itemJson(item, fullAccess)) as Record<string, unknown>, subject, text, actor, delivery: entry }, { declares, timeoutMs: appMs });
  switch (outcome.kind) {
    case 'answer':
      return { kind: 'sent' };
    case 'offline':
      return { kind: 'offline' };
    case 'error':
      if (outcome.code === rpcCodes.actionFailed) return { kind: outcome.retryable ? 'later' : 'failed', error: outcome.message };
      // Other errors than a refusal may tell of the app's inside.
      return unseenCodes.includes(outcome.code) ? failed('The app can’t send replies.') : { kind: 'unknown', error: 'The app was given it, and something went wrong inside it.' };
    case 'garbled':
    case 'timeout':
    case 'lost':
      return { kind: 'unknown', error: handedTo };
  }
};

/** One for the process: its connections are shared by all replies. */
const servers = new Map<string, MailServer>();
const serverAt = (url: string): MailServer => {
  const known = servers.get(url) ?? openMailServer(url);
  servers.set(url, known);
  return known;
};

const bySmtp = async ({ config }: DomainDeps, { item, asked, onHandOver }: Outgoing, { from, to }: { from: string; to: string }): Promise<Delivery> => {
  if (config.smtpUrl === null) return failed('No mail server is set up: SMTP_URL is missing.');
  const sender = senderOf(from);
  if (sender === null) return failed('The inbox’s own address is not valid.');
  const address = customerAddress(to, item);
  if (address === null) return failed('This item has no address that a reply could be sent to.');
  const { entry: delivery, subject, text, at } = asked;
  const body = await composeLetter({ delivery, from: sender, to: address, subject, text, at });
  const outcome = await serverAt(config.smtpUrl).send({ envelope: { from: sender.address, to: address }, body, onHandOver });
  return outcome.kind === 'refused' ? failed(outcome.error) : outcome;
};

export const deliverReply = async (deps: DomainDeps, outgoing: Outgoing): Promise<Delivery> => {
  const { inbox } = outgoing;
  const { reply } = inbox;
  if (reply === null || reply === undefined || inbox.retired) return failed(`The inbox ${inbox.name} sends no replies any more.`);
  return reply.via === 'app' ? byApp(deps, outgoing) : bySmtp(deps, outgoing, reply);
};
