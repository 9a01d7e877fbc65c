/** Adds a reply to an item's timeline, stages its delivery, and does what is to follow. The reply ends the item's deadline. */
import { Fault, fault } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import type { InboxDefinition } from '../../environments/definition.ts';
import { linePattern, strictObject, Type, type Static } from '../../platform/core/schema.ts';
import { movePaths, withPathPrefix } from '../../platform/core/validate.ts';
import { checkLongText, longText } from '../longText.ts';
import type { Item } from '../model.ts';
import { defineItemOperation, type DecisionContext, type ItemDecision, type ItemEffect } from '../operation.ts';
import { resolveCustomerAddress } from '../replyAddress.ts';
import { updateInput, updateItem, updateVerbs } from './update.ts';

const { state, snooze } = updateInput.properties;

const replyInput = strictObject({
  subject: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.subjectMax,
      pattern: linePattern,
      description: 'The subject, one line; absent: Re: and the title.',
    }),
  ),
  text: longText('The reply.'),
  then: Type.Optional(
    strictObject({ state, snooze }, { description: 'What to do to the item once the reply is accepted.' }),
  ),
});

type ReplyInput = Static<typeof replyInput>;

/** Returns the subject of an answer to the item: one line. */
const defaultSubject = ({ title }: Item): string =>
  `Re: ${title.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ').trim()}`.slice(0, limits.subjectMax).toWellFormed();

const decideReply = (
  item: Item,
  inbox: InboxDefinition,
  { subject = defaultSubject(item), text }: ReplyInput,
  moment: DecisionContext,
): ItemEffect | Fault => {
  const { reply } = inbox;
  if (reply === null || reply === undefined) return fault('conflict', `The inbox ${inbox.name} sends no replies.`);
  if (reply.via === 'smtp' && resolveCustomerAddress(reply.to, item) === null)
    return fault('action_failed', 'The item has no e-mail address to send a reply to.');
  const entry = moment.newId('ent');
  return {
    item: { ...item, dueAt: null },
    entries: [{ id: entry, type: 'reply', data: { subject, text, status: 'sending', error: null } }],
    jobs: [
      {
        id: moment.newId('job'),
        name: 'replySend',
        payload: { item: item.id, entry, dueAt: item.dueAt },
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
