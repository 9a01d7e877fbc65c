/**
 * Delivers a reply to the customer, by the app or by a mail server, and returns the outcome; before that, checks its author once more,
 * as it may have waited. `onDispatch` is awaited before the reply is dispatched, so that one that may have been sent is never sent
 * twice. Sends the service's own mails too. For workers/jobs/replySend.ts and workers/jobs/index.ts.
 */
import { principalModeFault, withoutSupervision } from '../accounts/access/principal.ts';
import type { DomainDeps } from '../accounts/deps.ts';
import { requireApprovedIfSupervised, requireRequester } from '../accounts/requester.ts';
import type { CallOutcome, ReplyJob } from '../app/link/link.ts';
import { rpcCodes } from '../app/link/protocol.ts';
import type { Environment, InboxDefinition } from '../app/manifest/definition.ts';
import { Fault } from '../catalogue/errors.ts';
import type { Item } from '../items/model.ts';
import { gateItemChange } from '../items/perform/perform.ts';
import { parseSender, resolveCustomerAddress, resolveMessageIds } from '../items/replyAddress.ts';
import { getOrCreate } from '../platform/caches.ts';
import { composeMail, messageIdOf } from './composeMail.ts';
import { type ReplyRequest, readEarlierReplies, withdrawReply } from './replyRequest.ts';
import { type MailOutcome, type MailServer, openMailServer } from './smtp.ts';

export type DeliveryOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'unknown'; readonly error: string }
  /** The reply was not dispatched, or was returned unsent: the job retries it. */
  | { readonly kind: 'later'; readonly error: string }
  | { readonly kind: 'offline' };

interface OutgoingReply {
  readonly env: Environment;
  readonly inbox: InboxDefinition;
  readonly item: Item;
  readonly request: ReplyRequest;
  readonly job: ReplyJob;
  /** The address that the author was told; null: not known. */
  readonly to: string | null;
  /** Marks the reply as dispatched, to a connection of the app or to a mail server (null). */
  readonly onDispatch: (connection: string | null) => Promise<void>;
}

/** Connections of the app that are tried while none has taken the reply. */
const connectionsMax = 4;

/** Milliseconds that the app may take: it may call a slow service of its own. */
const appMs = 60_000;

const failedDelivery = (error: string): DeliveryOutcome => ({ kind: 'failed', error });

const noAnswerMessage = 'The app was given it and gave no answer.';
/** Error codes by which the app's SDK shows that no code of the app has seen the reply. */
const notProcessedCodes: readonly number[] = [
  rpcCodes.methodNotFound,
  rpcCodes.invalidParams,
  rpcCodes.invalidRequest,
  rpcCodes.parseError,
];

const deliverByApp = async (
  { db, link }: DomainDeps,
  { env, inbox, job, onDispatch }: OutgoingReply,
): Promise<DeliveryOutcome> => {
  const declares = { kind: 'inbox', name: inbox.name } as const;
  const tried = new Set<string>();
  let outcome: CallOutcome<unknown> = { kind: 'offline' };
  for (let tries = 0; tries < connectionsMax && outcome.kind === 'offline'; tries++) {
    const connection = await link.chooseConnection(env.id, declares, tried);
    if (connection === null) break;
    tried.add(connection.id);
    await onDispatch(connection.id);
    outcome = await link.sendReply(connection, env.id, job, appMs);
    // Nobody takes it any more once it is withdrawn.
    if (outcome.kind === 'lost' && (await withdrawReply(db, job))) outcome = { kind: 'offline' };
  }
  switch (outcome.kind) {
    case 'answer':
      return { kind: 'sent' };
    case 'offline':
      return { kind: 'offline' };
    case 'error':
      if (outcome.code === rpcCodes.actionFailed)
        return { kind: outcome.retryable ? 'later' : 'failed', error: outcome.message };
      // Messages of other errors may show internals of the app.
      return notProcessedCodes.includes(outcome.code)
        ? failedDelivery('The app can’t send replies.')
        : { kind: 'unknown', error: 'The app was given it, and something went wrong inside it.' };
    case 'garbled':
    case 'timeout':
    case 'lost':
      return { kind: 'unknown', error: noAnswerMessage };
  }
};

/** One server object per address and process, so that replies share its connections. */
const mailServersByUrl = new Map<string, MailServer>();
const getMailServer = (url: string): MailServer => getOrCreate(mailServersByUrl, url, () => openMailServer(url));

type SmtpReply = Extract<InboxDefinition['reply'], { readonly via: 'smtp' }>;

const deliverBySmtp = async (
  { config, db }: DomainDeps,
  { env, item, request, to: told, onDispatch }: OutgoingReply,
  { from, to, inReplyTo }: SmtpReply,
): Promise<DeliveryOutcome> => {
  if (config.smtpUrl === null) return failedDelivery('No mail server is set up: SMTP_URL is missing.');
  const sender = parseSender(from);
  if (sender === null) return failedDelivery('The inbox’s own address is not valid.');
  const address = told ?? resolveCustomerAddress(to, item);
  if (address === null) return failedDelivery('The item has no e-mail address to send a reply to.');
  const { entry: delivery, subject, text, at, actor } = request;
  const earlier = (await readEarlierReplies(db, env.id, request)).map((entry) => messageIdOf(entry, sender));
  const received = inReplyTo === undefined ? [] : resolveMessageIds(inReplyTo, item);
  const body = await composeMail({
    delivery,
    from: sender,
    to: address,
    subject,
    text,
    at,
    references: [...earlier.filter((id) => !received.includes(id)), ...received],
    isAutomatic: actor.type === 'agent',
  });
  const outcome = await getMailServer(config.smtpUrl).send({
    envelope: { from: sender.address, to: address },
    body,
    onDispatch: () => onDispatch(null),
  });
  return outcome.kind === 'refused' ? failedDelivery(outcome.error) : outcome;
};

/** Delivers a reply by the way that the inbox declares now. Throws what `onDispatch` throws, and then has dispatched nothing. */
export const deliverReply = async (deps: DomainDeps, outgoing: OutgoingReply): Promise<DeliveryOutcome> => {
  const { inbox } = outgoing;
  const { reply } = inbox;
  if (reply === null || reply === undefined || inbox.retired)
    return failedDelivery(`The inbox ${inbox.name} sends no replies any more.`);
  return reply.via === 'app' ? deliverByApp(deps, outgoing) : deliverBySmtp(deps, outgoing, reply);
};

/** A mail of the service itself, such as an invitation. */
interface ServiceMail {
  readonly delivery: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly at: number;
  readonly onDispatch: () => Promise<void>;
}

/** Sends a mail of the service itself, by the mail server of replies. */
export const sendServiceMail = async (
  { smtpUrl, smtpFrom, publicUrl }: DomainDeps['config'],
  { to, onDispatch, ...mail }: ServiceMail,
): Promise<MailOutcome> => {
  const from = parseSender(smtpFrom ?? `Console <no-reply@${new URL(publicUrl).hostname}>`);
  if (smtpUrl === null || from === null)
    return {
      kind: 'refused',
      error: 'The service has no mail server or no address of its own: see SMTP_URL and SMTP_FROM.',
    };
  const body = await composeMail({ ...mail, from, to, references: [], isAutomatic: true });
  return getMailServer(smtpUrl).send({ envelope: { from: from.address, to }, body, onDispatch });
};

type Refusing = Pick<DomainDeps, 'directory'>;

const refusalNow = async (
  deps: Refusing,
  envId: number,
  item: Item,
  { actor: { type, id }, requestId, address, approvedBy }: ReplyRequest,
): Promise<string | null> => {
  // Only agents and people have rights that may end.
  if (id === null || (type !== 'agent' && type !== 'person')) return null;
  try {
    const caller = await requireRequester(deps, {
      env: envId,
      actor_type: type,
      actor: id,
      request_id: requestId,
      address,
    });
    requireApprovedIfSupervised(caller, approvedBy !== null);
    const principal = withoutSupervision(caller.principal);
    return gateItemChange({ ...caller, principal }, 'reply', item) instanceof Fault
      ? (principalModeFault(principal)?.message ??
          `Whoever asked for this may not reply in the inbox ${item.inbox} any more.`)
      : null;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
};

/** Returns why a reply may not be sent now by the rights of its author, or null. Looks twice, as the directory may have been outdated. */
export const replyRefusal = async (
  deps: Refusing,
  envId: number,
  item: Item,
  request: ReplyRequest,
): Promise<string | null> => {
  if ((await refusalNow(deps, envId, item, request)) === null) return null;
  await deps.directory.refresh();
  return refusalNow(deps, envId, item, request);
};
