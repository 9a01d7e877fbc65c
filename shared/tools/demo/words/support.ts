// Texts of mail to support and of its replies, by topic; drafts/support fills the {slots}, the same value
// in the title and in the body.

import type { Topic } from './fill.ts';

interface SupportTopic extends Topic {
  readonly replies: readonly string[];
}

export const topics: readonly SupportTopic[] = [
  {
    name: 'billing',
    tags: ['billing'],
    weight: 22,
    cases: [
      [
        'Invoice {invoice} charged twice after upgrading to {plan2}',
        'We moved to {plan2} on {date}, and since then {invoice} appears twice on the statement of {card}. Could you look into it and return one of the two?',
      ],
      [
        'Why was I billed {amount} on {date}?',
        'There is a charge of {amount} on {card} dated {date} that I cannot match to any invoice. What is it for?',
      ],
      [
        '{invoice} still shows our old address',
        'We moved in spring and changed the address under Settings, but {invoice} has the former one. Our auditors insist on a corrected invoice.',
      ],
      [
        'VAT number missing on invoice {invoice}',
        'Without our VAT number we cannot book {invoice}. It is set in the billing settings since {date}.',
      ],
      [
        'Card declined on renewal of {plan} but it works everywhere else',
        'I tried {card} three times, and each time the shop says "Your bank declined the charge". The bank says that no request reached them.',
      ],
      [
        'Please send {invoice} with our purchase order number on it',
        'Our purchase order is PO-{n}. Finance does not pay {invoice} before the number is on it.',
      ],
      [
        'We pay for {seats} seats but only {few} people use the account',
        'I counted the members today: {few}. Can the other seats be removed, and do we get the difference back?',
      ],
      [
        'Switch from monthly to yearly billing before {date}',
        'We would like to pay per year to get the two free months. Will the current month be credited?',
      ],
      [
        'Charged in USD instead of EUR on {invoice}',
        'All earlier invoices were in EUR. {invoice} is in USD, and our bank took a fee on top of it.',
      ],
      [
        'Double payment: {card} and PayPal for the same month',
        'When {card} was declined I paid by PayPal. A day later both went through, {amount} each.',
      ],
      [
        'Our finance team needs all invoices since {month} as PDF',
        'Is there a way to download them at once? Clicking through every month takes a while, and the audit starts on {weekday}.',
      ],
      [
        'Coupon {coupon} not applied to order {order}',
        'The shop showed the discount of {coupon} in the cart, but order {order} has the full price.',
      ],
      [
        'Can we pay {invoice} by bank transfer?',
        'Our company no longer uses cards for amounts like {amount}. Please send the bank details.',
      ],
      [
        'Proration on {invoice} does not add up',
        'We added {few} seats in the middle of the month. By my calculation {invoice} should be lower; could you show how it was computed?',
      ],
    ],
    replies: [
      'The second charge was reversed just now. Depending on your bank it takes 3 to 5 days to show.',
      'I corrected the billing details. You find the new document under Settings, Billing.',
      'I asked our finance team and come back to you today with the details of the calculation.',
    ],
  },
  {
    name: 'login',
    tags: ['login'],
    weight: 14,
    cases: [
      [
        'Locked out of "{project}" after changing my phone, no 2FA codes',
        'I got a new phone and forgot to move the authenticator. The recovery codes are on a laptop that I gave back. What can I do?',
      ],
      [
        'Password reset e-mail never arrives at our {domain} addresses',
        'Three of us tried since {hour}. Nothing in the spam folder, and our mail gateway has no trace of it.',
      ],
      [
        'SSO with {idp} loops back to the login page',
        'After signing in at {idp} we land on your login page again, in {browser} as well as in a private window.',
      ],
      [
        '{member} left the company, we need the owner role moved',
        '{member} was the only owner of "{project}". I can confirm from the billing address if needed.',
      ],
      [
        'Invitation link for {member} says "expired" right away',
        'I sent the invitation {few} times today. {member} clicks within a minute and still gets "expired".',
      ],
      [
        'SAML assertion rejected since this morning ({idp})',
        'We rotated the certificate in {idp} on {date} and uploaded it to your settings. Now nobody gets in.',
      ],
      [
        'I am asked to sign in every few minutes in {browser}',
        'It started about {few} days ago. Cookies are allowed, and my colleagues do not have this.',
      ],
      [
        'Cannot remove {member} from workspace "{project}"',
        'The menu entry "Remove" is grey. {member} does not work here any more, so it is urgent for us.',
      ],
      [
        'Magic link opens "{project}" instead of our workspace',
        'I belong to two workspaces. Whatever I choose, the link opens "{project}".',
      ],
      [
        'Unknown sign-in from {city}, was that you?',
        'I got a notice about a sign-in from {city} at {hour}. None of us was there. Should we worry?',
      ],
    ],
    replies: [
      'I checked the log: the request came from a known device of yours. To be safe I ended all sessions.',
      'I verified your request with the billing contact and moved the role. Please sign in again.',
      'The certificate in our settings has a trailing line break. I fixed it, could you try again?',
      'Mails to your domain were on our suppression list after a bounce. I removed it, please request a new link.',
    ],
  },
  {
    name: 'api',
    tags: ['api'],
    weight: 14,
    cases: [
      [
        'API answers {status} for every request since {hour}',
        'We call it about {n} times a day. Since {hour} we get {status} with an empty body. Request id of one of them: req_{hex}.',
      ],
      [
        'Webhook signature does not match for {event}',
        'Our handler verifies as the docs say, and it worked for months. For {event} the computed value differs since {date}.',
      ],
      [
        'Rate limit: 429 although we send {few} requests per second',
        'The docs say 600 per minute for our plan. We are below it, yet a third of the calls comes back with 429.',
      ],
      [
        'How do I page through more than {n} rows of /v2/{endpoint}?',
        'With ?page= I get an error past row {n}. Is there a cursor or another way to read everything?',
      ],
      [
        'Webhook {event} delivered {few} times',
        'Each {event} arrives {few} times within a minute with different delivery ids. We answer 200 in under a second.',
      ],
      [
        'API key stopped working after we added {region}',
        'The old key answers 401 since we added {region} on {date}. A new key works. Is that intended?',
      ],
      [
        'PATCH /v2/{endpoint} ignores the "{field}" field',
        'The call answers 200, but "{field}" keeps its former value. GET shows it unchanged as well.',
      ],
      [
        'Is there a sandbox for /v2/{endpoint}?',
        'We would like to test against /v2/{endpoint} without touching our live data.',
      ],
      [
        'Timestamps in {event} are off by one hour',
        'Since the clocks changed, every {event} is one hour early for us. Are the times in UTC?',
      ],
      [
        'CORS error when calling /v2/{endpoint} from {browser}',
        'Our page runs on {domain}. The preflight answers without access-control-allow-origin.',
      ],
    ],
    replies: [
      'Could you send the x-request-id of one failed call? Then I can find it in our logs.',
      "This was a regression of yesterday's release. The fix is out, please try again.",
      'Deliveries are repeated when the answer takes longer than 5 seconds. I attached the times that we saw.',
      'The field is read-only since v2. I agree that 200 is misleading and passed it on to the team.',
    ],
  },
  {
    name: 'export',
    tags: ['export'],
    weight: 10,
    cases: [
      [
        'Export of "{project}" stuck at {percent} % for {few} hours',
        'It was started on {date} and does not move. Cancelling does nothing. We need the file for a meeting on {weekday}.',
      ],
      [
        'CSV export of "{report}" has broken umlauts in Excel',
        'Names like Müller arrive as MÃ¼ller when opened with Excel. In a text editor they are fine.',
      ],
      [
        'Import failed: row {n} of {file} "unexpected column"',
        'The template is the one from your help centre, I only filled in our rows.',
      ],
      [
        'Scheduled report "{report}" did not arrive on {weekday}',
        'It is set to 07:00 every {weekday}. The history shows "sent", but none of the {few} recipients got it.',
      ],
      [
        'Dashboard "{report}" and its CSV show different totals',
        'On screen the total is {n}, in the file it is a bit less. Which of the two is right?',
      ],
      [
        'Can I export all data of {member} for a GDPR request?',
        '{member} asked for a copy of their data. We have to answer within a month, counted from {date}.',
      ],
      ['PDF of "{report}" cuts off the last column', 'Landscape does not help. It was fine until {date}.'],
      [
        'Need a full backup of "{project}" before we migrate',
        'We move to another region on {weekday} and want a complete copy before.',
      ],
    ],
    replies: [
      'The export ran into a time limit. I raised it for your workspace and started it anew.',
      'Please choose "CSV for Excel" in the dialog, which adds the mark that Excel needs.',
      'The report was sent, but your gateway deferred it. I sent it once more just now.',
    ],
  },
  {
    name: 'outage',
    tags: ['outage', 'urgent'],
    weight: 6,
    cases: [
      [
        'Dashboards do not load for anyone in {city}',
        'Since {hour} none of our people in {city} can work. Elsewhere it is fine.',
      ],
      [
        'Everything very slow since {hour}, is there an incident?',
        'Pages take half a minute. The status page says that all is well.',
      ],
      [
        'Status page is green but we get {status} on every page',
        'All {seats} of us get {status}. Please call me back, this stops our whole morning.',
      ],
      ['Production deploys fail in {region}', 'The last {few} deploys ended with "runner lost". Other regions work.'],
      [
        'Data in "{report}" is {few} hours behind',
        'The numbers stopped at {hour}. Our board looks at this page every morning, so it is rather urgent.',
      ],
      [
        'Custom domain {domain} serves a certificate error',
        'The certificate ran out on {date}. We did not change our DNS.',
      ],
    ],
    replies: [
      'We had an incident this morning. Everything is back to normal, and a report follows on the status page.',
      'I am sorry. The team is on it, and I write again within the hour.',
      'The certificate was renewed just now. It may take some minutes until every edge has it.',
    ],
  },
  {
    name: 'integrations',
    tags: ['integrations'],
    weight: 10,
    cases: [
      [
        '{integration} integration disconnected again',
        'For the third time this month it shows "disconnected". After connecting anew it holds for a few days. Nobody here touches it.',
      ],
      [
        'Messages to {integration} arrive without a link',
        'Until {date} each message had a link to "{project}". Now there is only the text.',
      ],
      [
        'Can we connect two {integration} workspaces to "{project}"?',
        'After a merger we have two of them, and would like both to see "{project}".',
      ],
      [
        'Sync with {integration} creates duplicates',
        'Every run adds the same contacts again; we now have {n} too many in "{project}". Is there a way to merge them?',
      ],
      [
        '{integration}: permission "{scope}" requested, why?',
        'Our security team wants to know what "{scope}" is needed for before they agree.',
      ],
      [
        'Field "{field}" missing in the {integration} sync',
        '"{field}" is mapped, but stays empty on the other side. All other fields arrive.',
      ],
    ],
    replies: [
      'The token is revoked by a policy on the other side. I attached the setting that your admin can change.',
      'Good catch: the mapping lost this field in the last update. It is back now, please sync once more.',
      'I merged the duplicates and turned on matching by e-mail, so it does not happen again.',
    ],
  },
  {
    name: 'cancellation',
    tags: ['churn-risk'],
    weight: 7,
    cases: [
      [
        'Cancel our {plan2} plan at the end of the period',
        'We decided to consolidate our tools. Please confirm the end date and that {card} is not charged again.',
      ],
      [
        'How do I delete the account of {company}?',
        'We do not find the button. Please delete everything, or tell us how.',
      ],
      [
        'Downgrade from {plan2} to Starter keeps failing',
        'The button answers "Something went wrong". We need only {few} seats. If this cannot be solved we will cancel.',
      ],
      [
        '{company} leaves, please confirm the deletion of our data',
        'Our contract ends on {date}. For our records we need a confirmation in writing.',
      ],
      [
        'Renewal on {date}: we do not want to continue',
        'The budget was cut. Please make sure that nothing renews on {date}.',
      ],
      [
        'Too expensive for {few} users, what can you offer?',
        'We like the product, but a competitor is a third cheaper for {few} people.',
      ],
    ],
    replies: [
      'I am sorry to see you go. The plan ends with the current period, and nothing will be charged after it.',
      'I can offer two months free on yearly billing. Would that help?',
      'The downgrade was blocked by an open invitation. I removed it, so it should work now.',
    ],
  },
  {
    name: 'trial',
    tags: ['sales', 'trial'],
    weight: 6,
    cases: [
      [
        'Trial ended before our team could test {feature}',
        'Our security review took longer than planned, and the trial is over since {date}. Could we have another two weeks?',
      ],
      [
        'Can we extend the trial of {plan2} by two weeks?',
        'Half of the team was on holiday. We would decide right after.',
      ],
      [
        'Demo of {feature} for {few} people at {company}',
        'We are comparing three vendors and would like to see {feature} with our own data.',
      ],
      [
        'Discount on {plan2} for non-profits?',
        'We are a registered charity with {few} paid staff. Is there a special price?',
      ],
      [
        'Question about seats before we buy {plan2}',
        'Do people who only look at dashboards need a seat? That changes our number quite a bit.',
      ],
    ],
    replies: [
      'I extended your trial by 14 days. Have fun with it, and write if anything is unclear.',
      'With pleasure! Please pick a time from the calendar in my signature.',
      'Viewers are free. You only pay for people who edit.',
    ],
  },
  {
    name: 'howto',
    tags: ['how-to'],
    weight: 9,
    cases: [
      [
        'How can I share "{report}" with someone outside the company?',
        'Our investors should see "{report}" without an account. Is there a public link?',
      ],
      [
        'Where did {feature} go after the last update?',
        'It used to be in the left menu. Since {date} I cannot find it any more.',
      ],
      [
        'Can viewers see comments on "{project}"?',
        'Before we invite a client to "{project}" we would like to know what they see.',
      ],
      [
        'Restore "{project}", deleted on {date}',
        'One of us deleted it by mistake. Is there a recycle bin, or can you bring it back?',
      ],
      [
        'Change the language of "{project}" to {language}',
        'The menus are English for everyone, though our profiles are set to {language}.',
      ],
      ['Feature request: {feature} on mobile', 'On the train I only have my phone, and {feature} is what I miss most.'],
      [
        'Is {feature} included in {plan}?',
        'The comparison table is not clear to me. Do we have it already, or is it an upgrade?',
      ],
    ],
    replies: [
      'You can do this under Settings, Sharing. I attached a screenshot of the place.',
      'Deleted projects are kept for 30 days. I restored yours just now.',
      'It moved to the menu at the top right. Sorry for the search!',
      'Thanks for the idea. I added your vote; there is no date for it yet.',
    ],
  },
  {
    name: 'spam',
    tags: ['spam'],
    weight: 3,
    cases: [
      [
        'Rank {domain} #1 on Google in 30 days',
        'Dear owner of {domain}, your site is missing out on traffic. Reply YES for a free audit.',
      ],
      [
        'Business proposal for {company}',
        'Dear sir or madam, I represent an investor who wishes to remain unnamed. Kindly reply for details.',
      ],
      ['RE: RE: your unpaid parcel {hex}', 'Your parcel {hex} is waiting. Pay the fee within 24 hours.'],
      [
        'Increase your followers by {n} % today',
        'Real people, no bots, {n} new followers within a day. Click unsubscribe to stop.',
      ],
      [
        'Guest post on your blog? We pay {amount}',
        'We write high-quality articles and pay {amount} for a link. Interested?',
      ],
    ],
    replies: ['Please take us off your list.'],
  },
];

/** Mail in other languages, which is rarer. */
export const foreign: readonly { locale: string; topic: string; tag: string; title: string; body: string }[] = [
  {
    locale: 'de',
    topic: 'billing',
    tag: 'billing',
    title: 'Rechnung {invoice}: USt-IdNr. fehlt',
    body: 'Guten Tag, auf der Rechnung {invoice} fehlt unsere USt-IdNr. Bitte senden Sie uns eine korrigierte Fassung.',
  },
  {
    locale: 'de',
    topic: 'login',
    tag: 'login',
    title: 'Anmeldung über {idp} nicht mehr möglich',
    body: 'Seit heute Morgen kommt nach der Anmeldung über {idp} nur eine weiße Seite. Betroffen sind alle {seats} Kollegen.',
  },
  {
    locale: 'fr',
    topic: 'billing',
    tag: 'billing',
    title: 'Facture {invoice} prélevée deux fois',
    body: 'Bonjour, la facture {invoice} a été prélevée deux fois sur {card}. Merci de rembourser le doublon.',
  },
  {
    locale: 'fr',
    topic: 'export',
    tag: 'export',
    title: 'Export CSV de « {project} » incomplet',
    body: 'Le fichier exporté s’arrête à la ligne {n}. Pouvez-vous vérifier ?',
  },
  {
    locale: 'es',
    topic: 'cancellation',
    tag: 'churn-risk',
    title: 'Queremos cancelar el plan {plan}',
    body: 'Hola, no vamos a renovar el plan {plan}. Por favor, confirmen la fecha de baja.',
  },
  {
    locale: 'pt-BR',
    topic: 'api',
    tag: 'api',
    title: 'API retorna {status} desde ontem à noite',
    body: 'Olá, desde ontem todas as chamadas para /v2/{endpoint} retornam {status}.',
  },
  {
    locale: 'ja',
    topic: 'billing',
    tag: 'billing',
    title: '請求書 {invoice} の宛名を変更したい',
    body: 'お世話になっております。請求書 {invoice} の宛名を「{company}」に変更していただけますか。',
  },
  {
    locale: 'pl',
    topic: 'trial',
    tag: 'trial',
    title: 'Przedłużenie okresu próbnego {plan2}',
    body: 'Dzień dobry, czy możemy przedłużyć okres próbny o dwa tygodnie?',
  },
];

export const greetings = [
  'Hi,',
  'Hello,',
  'Hi there,',
  'Hello support team,',
  'Good morning,',
  'Dear Northwind team,',
] as const;
export const closings = [
  'Thanks',
  'Thank you',
  'Best regards',
  'Kind regards',
  'Cheers',
  'Many thanks in advance',
] as const;
export const asides = [
  'We are on {plan} with {seats} seats.',
  'Happy to jump on a call.',
  'I attached a screenshot.',
  'This also happens in a private window.',
  'A colleague wrote about this last week and got no answer.',
  'No rush, but this week would be great.',
  'It worked until {date}.',
] as const;
