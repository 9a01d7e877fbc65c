// Texts of notes and replies of Northwind's people, and of reasons of triage; used by the plots.

import type { InboxName } from '../types.ts';

export const notes: Readonly<Record<InboxName, readonly string[]>> = {
  support: [
    'Called the customer, they will send a screenshot.',
    'Second message from them this week, please handle with care.',
    'Reproduced in a test workspace. Engineering knows.',
    'Asked in #product, answer expected tomorrow.',
    'Their contract is up for renewal next month.',
    'Waiting for the account owner to confirm.',
    'Same cause as two other tickets of today.',
    'Checked the logs, nothing unusual on our side.',
    'Account manager is informed.',
  ],
  errors: [
    'Started with the last release, bisecting.',
    'Always the same few accounts.',
    'Logs show a burst right after the deploy, then nothing.',
    'Input comes from an old client that we still support.',
    'Fix is merged, goes out with the next release.',
    'Cannot reproduce. Added more logging.',
    'Root cause found: a default was missing after the migration.',
    'Rolled back in eu-central, watching.',
  ],
  refunds: [
    'Usage shows no sign-in since the renewal.',
    'Within the 30 days of our policy.',
    'Second request of this customer this year.',
    'Bank needs 5 to 10 days, told the customer.',
    'Outside of the policy, but a long-standing customer.',
    'Evidence uploaded to the payment provider.',
  ],
  signups: [
    'Company exists, website matches the domain.',
    'Asked for a company register extract.',
    'Known partner, fine.',
    'Card country and address differ by a continent.',
    'Talked to them at the trade fair.',
  ],
  abuse: [
    'Saved evidence before touching anything.',
    'Looks like a stolen account: password reset forced.',
    'Not the first report about this workspace.',
    'Owner answered and is cleaning up.',
    'Asked legal for a second opinion.',
  ],
};

/** First replies; support has its own by topic. */
export const replies: Readonly<Record<'refunds' | 'signups' | 'abuse', readonly string[]>> = {
  refunds: [
    'We received your request and look into it within one working day.',
    'Thank you for the details. Our finance team checks the payment and I come back to you.',
    'Could you tell us to which account the refund should go, in case the card is no longer valid?',
  ],
  signups: [
    'Welcome! To activate invoice billing we need your company register number.',
    'Could you confirm your company address? Then we activate the account right away.',
  ],
  abuse: [
    'Thank you for the report. We are looking into it and act within one working day.',
    'Thank you. Could you send us a screenshot, or the full headers if it was a mail?',
  ],
};

/** What customers write when they come back to their question. */
export const followUps = [
  'Thank you for the quick answer. Unfortunately it still happens, I have just tried it again.',
  'Is there any news? Our team is waiting for this.',
  'That worked, thank you! One more question: does the same hold for our other workspace?',
  'I have attached nothing, sorry. The number of the invoice is the one in my first message.',
  'We can do without it until Monday, but not longer.',
  'My colleague sees the same on her account.',
  'It is solved for me now, but please tell us what it was.',
  'This is the third time that I ask. Could somebody call me?',
] as const;

export const bounces = [
  '550 5.1.1 The e-mail account does not exist',
  '552 5.2.2 Mailbox full',
  '554 5.7.1 Rejected by the recipient’s policy',
] as const;

/** The answers of the app's own triage, which closes nothing. */
export const moods = ['calm', 'calm', 'calm', 'annoyed', 'angry', 'happy'] as const;
export const supportTags = [
  'vip',
  'needs-info',
  'bug',
  'feature-request',
  'urgent',
  'escalated',
  'refund-risk',
  'docs',
] as const;
