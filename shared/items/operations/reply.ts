/** Adds a reply to an item's timeline, stages its delivery, and does what is to follow. The reply ends the item's deadline. */
import type { InboxDefinition } from '../../app/manifest/definition.ts';
import { Fault, fault } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { linePattern, strictObject, Type, type Static } from '../../platform/json/schema.ts';
import { movePaths, withPathPrefix } from '../../platform/json/validate.ts';
import { replySubject } from '../../platform/words/texts.ts';
import type { Item } from '../model.ts';
import { defineItemOperation, type DecisionContext, type ItemDecision, type ItemEffect } from '../operation.ts';
import { resolveCustomerAddress } from '../replyAddress.ts';
import { checkLongText, longText } from './note.ts';
import { updateInput, updateItem, updateVerbs } from './update.ts';

const { state, snooze } = updateInput.properties;

const replyInput = strictObject({
  subject: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.subjectMax,
      pattern: linePattern,
      description: 'The subject, one line; absent: the title, with one Re: before it.',
    }),
  ),
  text: longText('The reply.'),
  then: Type.Optional(
    strictObject({ state, snooze }, { description: 'What to do to the item once the reply is accepted.' }),
  ),
});

type ReplyInput = Static<typeof replyInput>;

/** Returns the subject of a reply to the item. */
export const subjectOfReply = ({ title }: Pick<Item, 'title'>, { subject }: Pick<ReplyInput, 'subject'>): string =>
  subject ?? replySubject(title, limits.subjectMax);

const decideReply = (
  item: Item,
  inbox: InboxDefinition,
  input: ReplyInput,
  moment: DecisionContext,
): ItemEffect | Fault => {
  const { reply } = inbox;
  if (moment.isAnswered(item.id))
    return fault('conflict', 'Another agent’s reply to this item is on its way; read the item again before you reply.');
  if (reply === null || reply === undefined) return fault('conflict', `The inbox ${inbox.name} sends no replies.`);
  const to = reply.via === 'smtp' ? resolveCustomerAddress(reply.to, item) : null;
  if (reply.via === 'smtp' && to === null)
    return fault('action_failed', 'The item has no e-mail address to send a reply to.');
  const entry = moment.newId('ent');
  const { text } = input;
  const subject = subjectOfReply(item, input);
  return {
    item: { ...item, dueAt: null },
    entries: [{ id: entry, type: 'reply', data: { subject, text, status: 'sending', error: null } }],
    jobs: [
      {
        id: moment.newId('job'),
        name: 'replySend',
        payload: { item: item.id, entry, dueAt: item.dueAt, ...(to === null ? {} : { to }) },
        subject: item.id,
        dueAt: moment.at,
      },
    ],
  };
};

const decide = (item: Item, inbox: InboxDefinition, input: ReplyInput, moment: DecisionContext): ItemDecision => {
  const replied = decideReply(item, inbox, input, moment);
  if (replied instanceof Fault || input.then === undefined) return replied;
  const followed = updateItem.decide(replied.item, inbox, input.then, moment);
  if (followed instanceof Fault) return movePaths(followed, (path) => `then.${path}`);
  if (followed === 'unchanged') return replied;
  return { ...replied, item: followed.item, entries: [...replied.entries, ...followed.entries] };
};

export const replyToItem = defineItemOperation({
  name: 'item.reply',
  verb: ({ then = {} }) => ['reply', ...updateVerbs(then)],
  input: replyInput,
  validate: ({ text, then }, at) => {
    checkLongText(text);
    if (then !== undefined) withPathPrefix('then', () => updateItem.check(then, at));
  },
  decide,
});
