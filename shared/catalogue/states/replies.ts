/** The states of a reply: the statuses of its timeline entry, each a row of `events`. Used by shared/replies. */
import { defineMachine, type StateOf } from './machine.ts';

export const replies = defineMachine({
  name: 'replies',
  table: 'events',
  status: (row) => `${row}.data ->> 'status'`,
  history: { where: (row) => `${row}.type = 'reply'`, key: ['env', 'item', 'entry'] },
  states: {
    sending: { kind: 'active', meaning: 'its job sends it by the app or by the mail server' },
    sent: { kind: 'ended', meaning: 'the app or the mail server took it' },
    failed: { kind: 'ended', meaning: 'it was not sent, and the deadline that it had cleared is back' },
    unknown: { kind: 'ended', meaning: 'it was dispatched and no answer came: it may have been sent' },
  },
  transitions: [
    { from: null, to: 'sending', why: 'requested' },
    { from: 'sending', to: 'sent', why: 'it was taken' },
    { from: 'sending', to: 'failed', why: 'it was refused, or failed too often' },
    { from: 'sending', to: 'unknown', why: 'no answer came, or the worker ended before it' },
  ],
});

export type ReplyStatus = StateOf<typeof replies>;
