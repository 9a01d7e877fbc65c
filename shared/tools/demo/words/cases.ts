// Texts of refund requests, sign-ups and abuse reports; used by drafts/cases.ts.

import type { Topic } from './fill.ts';

/** `name` is the field `reason` of a refund. */
export const refundReasons: readonly Topic[] = [
  {
    name: 'duplicate',
    tags: ['duplicate-charge'],
    weight: 26,
    cases: [
      [
        'Refund of {amount}: {invoice} was charged twice',
        '{invoice} shows up twice on our statement. Please return one of the two.',
      ],
      [
        'Duplicate charge on {card} for order {order}',
        'The shop timed out, I clicked again, and now {card} was charged two times.',
      ],
      [
        '{company} paid {invoice} by card and by transfer',
        'Finance paid by transfer while {card} was charged automatically.',
      ],
    ],
  },
  {
    name: 'unused',
    tags: ['unused'],
    weight: 22,
    cases: [
      ['{few} unused seats on order {order}, {amount} back', '{few} of our {seats} seats were never taken.'],
      [
        'Renewed by mistake: refund {amount} of {invoice}',
        'We forgot to cancel before the renewal and have not signed in since.',
      ],
      [
        'Never used {plan}, asks for {amount} back',
        'The project was stopped before we started. Nobody ever signed in.',
      ],
    ],
  },
  {
    name: 'downgrade',
    tags: ['downgrade'],
    weight: 18,
    cases: [
      [
        'Downgrade from {plan} mid-term, {amount} remaining',
        'We are a smaller team now. Please return what is left of the term.',
      ],
      [
        'Prorated refund for order {order} after moving to Starter',
        'The shop promised proration when we moved down, but nothing came.',
      ],
      [
        '{company} reduced seats, credit {amount} or refund?',
        'We removed {few} seats. A refund would be easier for us than a credit.',
      ],
    ],
  },
  {
    name: 'outage',
    tags: ['sla'],
    weight: 12,
    cases: [
      [
        'SLA credit of {amount} for the {region} outage',
        'We could not work for {few} hours. Our contract has an uptime promise.',
      ],
      [
        '{company} claims {amount} after {few} hours of downtime',
        'Our shop was down for {few} hours because of {region}. We ask for the credit that the contract names.',
      ],
      [
        'Refund {amount} of {plan}: exports were down',
        'Reports failed for most of the week, so we ask for that part back.',
      ],
    ],
  },
  {
    name: 'fraud',
    tags: ['chargeback', 'fraud'],
    weight: 8,
    cases: [
      [
        'Chargeback opened for {invoice} ({card})',
        'The cardholder says that the purchase was not theirs. Evidence is due within 10 days.',
      ],
      ['Unrecognised payment of {amount}, order {order}', 'I do not know your company and did not order anything.'],
      ['Cardholder disputes order {order}', 'The bank asks for proof that {company} placed the order.'],
    ],
  },
  {
    name: 'other',
    tags: ['needs-info'],
    weight: 14,
    cases: [
      ['Refund request for {invoice}, no reason given', 'Please refund this invoice.'],
      [
        'Wrong VAT on {invoice}: reverse charge not applied',
        'We gave our VAT number, and VAT was charged all the same.',
      ],
      [
        'Goodwill refund of {amount} for {company}',
        'Our first month was full of trouble, see our earlier mails. Could you meet us halfway?',
      ],
      ['Wrong workspace upgraded, order {order}', 'The upgrade went to our test workspace instead of the real one.'],
    ],
  },
];

export const signupTitles = [
  '{company}: {plan}, {seats} seats, {country}',
  '{name} ({company}) wants {plan} with {seats} seats',
  'New {plan} sign-up from {email}',
  'Review {company} before activating {seats} seats',
  '{email} signed up for {plan} from {country}',
  '{company} asks for invoice billing on {plan}',
] as const;

export const riskyTitles = [
  'High risk score {risk}: {email}',
  'Prepaid card on {plan} sign-up by {email}',
  '{few} sign-ups from {address} within an hour',
  'Disposable address {email} on {plan}',
  'Country mismatch: {country} sign-up, card from elsewhere ({company})',
] as const;

export const secondWorkspaceTitles = [
  '{company} requests a second workspace ({seats} seats)',
  'Existing customer {company} signed up again as {email}',
] as const;
export const disposableDomains = [
  'tempbox.example',
  'mailnull.example',
  'trashpost.example',
  'quickinbox.example',
] as const;

/** `name` is the field `category` of a report. */
export const abuseCategories: readonly Topic[] = [
  {
    name: 'phishing',
    tags: ['phishing'],
    weight: 28,
    cases: [
      [
        'Phishing page on {site} imitates {brand}',
        'The page copies the sign-in of {brand} and posts what is entered to another host. First seen on {date}.',
      ],
      [
        'Fake {brand} login hosted at {site}',
        'Our customers get mails with a link to {site}, which looks like our login.',
      ],
      [
        '{brand} reports a credential form on {site}',
        'We are the security team of {brand}. The form at {site} is not ours. Please take it down.',
      ],
      [
        'Public dashboard on {site} asks for card numbers',
        'A dashboard with our logo asks visitors for card number and code.',
      ],
    ],
  },
  {
    name: 'spam',
    tags: ['spam'],
    weight: 22,
    cases: [
      [
        'Bulk invitations sent from workspace {workspace}',
        '{workspace} sent about {n} invitations within an hour, mostly to addresses that bounce.',
      ],
      [
        '{n} unsolicited mails with links to {site}',
        'We received {n} mails since {date}, all of them with a link to {site}.',
      ],
      [
        'Comment spam on public dashboards of {company}',
        'Dozens of comments a day with links to shops. The accounts are all new.',
      ],
      [
        'Spam trap hit: report mails of {workspace}',
        'Scheduled reports of {workspace} go to addresses that were never real.',
      ],
    ],
  },
  {
    name: 'malware',
    tags: ['malware'],
    weight: 11,
    cases: [
      ['Malware download linked from {site}', 'A button on {site} starts the download of a known loader.'],
      [
        'Infected attachment shared by {workspace}',
        'The file that {workspace} shared with us was stopped by our virus scanner.',
      ],
      ['Scanner: trojan in export of {workspace}', 'The scanner matched a signature in an attachment of the export.'],
    ],
  },
  {
    name: 'copyright',
    tags: ['legal'],
    weight: 14,
    cases: [
      [
        'DMCA notice for {site}',
        'The rights holder asks us to take down the material at {site}. The notice is complete and signed.',
      ],
      ['Copied course material on {site}', 'Our paid course is on {site} for everyone, word by word.'],
      ['Trademark complaint by {brand} about {workspace}', '{workspace} uses our name and logo without permission.'],
    ],
  },
  {
    name: 'harassment',
    tags: ['people'],
    weight: 7,
    cases: [
      [
        'Harassing comments by a member of {workspace}',
        'A former colleague posts insulting comments on documents that we share with {workspace}.',
      ],
      ['Threats in shared document on {site}', 'The document names two of our employees and threatens them.'],
      [
        'Personal data of an employee published on {site}',
        'Home address and phone number of a colleague are on {site} since {date}.',
      ],
    ],
  },
  {
    name: 'credential-stuffing',
    tags: ['security'],
    weight: 10,
    cases: [
      [
        '{n} failed sign-ins from {address} against {company}',
        '{n} attempts with different passwords since {hour}. No success as far as the log shows.',
      ],
      [
        'Credential stuffing against {workspace}',
        'Passwords from an old leak are tried against {workspace}, a few per second.',
      ],
      ['API key of {company} leaked on a public repository', 'The key was pushed on {date} and is still valid.'],
    ],
  },
  {
    name: 'crypto-mining',
    tags: ['resource-abuse'],
    weight: 8,
    cases: [
      [
        'Build minutes of {workspace} used for mining',
        'The runners of {workspace} open connections to a known pool. Usage rose on {date}.',
      ],
      [
        'CPU at 100 % for {few} days on runners of {workspace}',
        'No build takes {few} days. The process list shows a miner.',
      ],
      [
        'Free accounts from {address} mine coins',
        '{n} accounts were made from {address}, each with one job that never ends.',
      ],
    ],
  },
];

export const brands = [
  'Contoso Bank',
  'Parcelway',
  'Metro Savings',
  'Streamly',
  'GovPay',
  'Union Post',
  'Alpine Insurance',
  'Nordbank',
] as const;
export const abuseTags = ['repeat-offender', 'free-plan', 'law-enforcement', 'trusted-reporter'] as const;
