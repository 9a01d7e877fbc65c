/** Adds a reply to an item's timeline and stages its delivery. The reply ends the item's deadline. */
import { fault } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { linePattern, strictObject, Type } from '../../platform/core/schema.ts';
import { checkLongText, longText } from '../longText.ts';
import { defineItemOperation } from '../operation.ts';
import { resolveCustomerAddress } from '../replyAddress.ts';

export const replyToItem = defineItemOperation({
  name: 'item.reply',
  verb: 'reply',
  input: strictObject({
    subject: Type.String({
      minLength: 1,
      maxLength: limits.subjectMax,
      pattern: linePattern,
      description: 'The subject, one line.',
    }),
    text: longText('The reply.'),
  }),
  validate: ({ text }) => {
    checkLongText(text);
  },
  decide: (item, inbox, { subject, text }, moment) => {
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
  },
});
