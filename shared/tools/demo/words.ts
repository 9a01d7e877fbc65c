/**
 * The words of the demo: names, and a small grammar. A title is a thing and what happened to it; {slots} stand for other words, which may
 * have slots themselves. Used by the other files of this folder that invent.
 */
import type { Random } from './random.ts';

export const firstNames = [
  ['Amelia', 'Anders', 'Aylin', 'Ben', 'Camille', 'Carlos', 'Chiara', 'Daan', 'Deepa', 'Diego', 'Emeka', 'Emma'],
  ['Fatima', 'Felix', 'Freya', 'Grace', 'Hana', 'Hiroshi', 'Ingrid', 'Ivan', 'Jakub', 'José', 'Julia', 'Kwame'],
  ['Laura', 'Leila', 'Liam', 'Łukasz', 'Marco', 'Mia', 'Minh', 'Nadia', 'Nikhil', 'Olga', 'Oscar', 'Petra', 'Zoë'],
].flat();
export const lastNames = [
  ['Abebe', 'Almeida', 'Andersson', 'Baker', 'Bianchi', 'Costa', 'Dubois', 'Eze', 'Fischer', 'García', 'Haddad'],
  ['Ito', 'Jansen', 'Kaya', 'Keller', 'Kowalski', 'Lind', 'Mensah', 'Müller', 'Nguyen', 'Novak', 'Okoye', 'Park'],
  ['Patel', 'Pereira', 'Rahman', 'Rossi', 'Sato', 'Schmidt', 'Silva', 'Sørensen', 'Tanaka', 'Visser', 'Walsh'],
].flat();
export const companyHeads = [
  ['Acorn', 'Amber', 'Anchor', 'Aurora', 'Beacon', 'Birch', 'Bluebird', 'Bramble', 'Canyon', 'Cedar', 'Cobalt'],
  ['Comet', 'Copper', 'Coral', 'Crescent', 'Delta', 'Driftwood', 'Ember', 'Falcon', 'Fern', 'Foxglove', 'Garnet'],
  ['Granite', 'Harbor', 'Hazel', 'Heron', 'Indigo', 'Ivory', 'Juniper', 'Kestrel', 'Lantern', 'Larch', 'Lighthouse'],
  ['Linden', 'Maple', 'Meadow', 'Meridian', 'Mosaic', 'Nimbus', 'Northgate', 'Oakridge', 'Olive', 'Onyx', 'Orbit'],
  ['Osprey', 'Pebble', 'Pinnacle', 'Polar', 'Prairie', 'Quartz', 'Raven', 'Redwood', 'Saffron', 'Sierra', 'Slate'],
  ['Solstice', 'Sparrow', 'Summit', 'Tamarack', 'Tidewater', 'Timber', 'Vertex', 'Willow', 'Windmill', 'Zephyr'],
].flat();
export const companyTails = [
  ['Analytics', 'Apps', 'Architects', 'Books', 'Brewing', 'Capital', 'Clinics', 'Collective', 'Consulting'],
  ['Dental', 'Design', 'Digital', 'Dynamics', 'Energy', 'Foods', 'Freight', 'Games', 'Health', 'Interiors', 'Labs'],
  ['Learning', 'Legal', 'Logistics', 'Media', 'Mobility', 'Outdoor', 'Partners', 'Payments', 'Pharma', 'Press'],
  ['Robotics', 'Retail', 'Studio', 'Systems', 'Textiles', 'Travel', 'Ventures', 'Works'],
].flat();

/** What the slots stand for where nothing about the item says it. */
const slots: Readonly<Record<string, readonly string[]>> = {
  hour: ['{h}:00', '{h}:10', '{h}:15', '{h}:20', '{h}:30', '{h}:45', '{h}:50'],
  weekday: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'],
  status: ['401', '403', '500', '502', '503', '504'],
  coupon: ['SPRING20', 'WELCOME10', 'TEAM15', 'NONPROFIT30', 'PARTNER25', 'SWITCH50'],
  idp: ['Okta', 'Entra ID', 'Google Workspace', 'OneLogin', 'Keycloak', 'JumpCloud'],
  browser: ['Chrome', 'Firefox', 'Safari', 'Edge', 'Safari on iPad', 'Firefox on Linux'],
  city: ['Berlin', 'Austin', 'São Paulo', 'Lyon', 'Kraków', 'Toronto', 'Osaka', 'Lagos', 'Leeds', 'Malmö', 'Sydney'],
  region: ['eu-central', 'us-east', 'us-west', 'ap-south'],
  project: ['{area} relaunch', '{area} ops', '{area} migration', '{area} {year}', 'New {area}', '{area} rollout'],
  area: ['Website', 'Mobile app', 'Warehouse', 'Client portal', 'Data platform', 'Field service', 'Store', 'Fleet'],
  report: ['{period} revenue', '{period} churn', 'Active seats in {city}', '{period} SLA report', '{period} forecast'],
  period: ['Daily', 'Weekly', 'Monthly', 'Q1', 'Q2', 'Q3', 'Q4', 'Yearly'],
  feature: ['the audit log', 'SCIM', 'custom roles', 'the query editor', 'dark mode', 'alert rules', 'bulk edit'],
  integration: ['Slack', 'Teams', 'Salesforce', 'HubSpot', 'Jira', 'GitHub', 'Zapier', 'Notion', 'Zendesk', 'BigQuery'],
  endpoint: ['projects', 'invoices', 'members', 'events', 'dashboards', 'usage', 'seats', 'workspaces', 'exports'],
  event: ['invoice.paid', 'invoice.failed', 'member.invited', 'export.ready', 'seat.removed', 'alert.fired'],
  field: ['externalId', 'timezone', 'owner', 'costCenter', 'dueDate', 'labels', 'billingEmail', 'archived', 'parentId'],
  file: ['contacts.csv', 'inventory.xlsx', 'members.csv', 'q2_actuals.xlsx', 'leads_final.csv', 'products.json'],
  property: ['plan', 'id', 'length', 'price', 'email', 'seats', 'total', 'items', 'role', 'locale', 'token', 'owner'],
  component: ['PlanCard', 'PriceTag', 'SeatCounter', 'MemberTable', 'ChartLegend', 'TrialBanner', 'CountrySelect'],
  table: ['invoices', 'seats', 'sessions', 'usage_events', 'subscriptions', 'exports', 'coupons', 'audit_log'],
  host: ['payments.internal', 'redis-1', 'pg-primary', 'search-2', 'mail-relay', 'idp.vendor.example', 'kafka-3'],
  queue: ['exports', 'mail', 'webhooks', 'usage-rollup', 'reindex', 'invoices', 'dunning', 'thumbnails'],
  brand: ['Contoso Bank', 'Parcelway', 'Metro Savings', 'Streamly', 'GovPay', 'Union Post', 'Alpine Insurance'],
};
/** Slots for numbers, with the lowest and the highest. */
const numbers: Readonly<Record<string, readonly [number, number]>> = {
  few: [2, 9],
  h: [10, 17],
  n: [120, 4_800],
  percent: [3, 99],
  ms: [2_000, 30_000],
  year: [2_024, 2_027],
};

export type Known = Record<string, string>;

/** Fills the {slots} of a template: with what is known, else with words that are known from then on. */
export const fill = (random: Random, known: Known, template: string): string =>
  template.replace(/\{(\w+)\}/g, (_, slot: string) => {
    const [range, found] = [numbers[slot], known[slot]];
    if (range !== undefined && found === undefined) return (known[slot] = String(random.int(...range)));
    return found ?? (known[slot] = fill(random, known, random.pick(slots[slot] ?? [])));
  });

/** What a title is made of: one of the things, and what happened, one of the events. */
interface TitleWords {
  readonly things: readonly string[];
  readonly events: readonly string[];
}

/** What items of an inbox are about, by name; `tags`: the name, unless they are given; `fixes`: what the first reply may say. */
interface Topic extends TitleWords {
  readonly tags?: readonly string[];
  readonly fixes?: readonly string[];
}

export const titleOf = (random: Random, known: Known, { things, events }: TitleWords): string =>
  fill(random, known, `${random.pick(things)} ${random.pick(events)}`);

/** Of these lists the first entries are the most frequent. */
export const supportTopics: Readonly<Record<string, Topic>> = {
  billing: {
    things: ['Invoice {invoice}', 'Order {order}', 'The charge of {amount} on {card}', 'The renewal of {plan}'],
    events: ['was charged twice', 'lacks our discount {coupon}', 'is wrong for {seats} seats', 'came {few} days early'],
    fixes: ['I returned the second charge just now.', 'I corrected the document; you find it under Settings, Billing.'],
  },
  login: {
    things: ['Sign-in with {idp}', 'The account of {member}', 'The invitation of {member}', '2FA for "{project}"'],
    events: ['loops back since {hour}', 'stopped working at {hour}', 'fails in {browser}', 'is locked since {date}'],
    fixes: ['I ended all sessions; please sign in again.', 'Your domain was on our suppression list. I removed it.'],
  },
  api: {
    things: ['GET /v2/{endpoint}', 'PATCH /v2/{endpoint}', 'Webhook {event}', 'Our API key for {region}'],
    events: ['answers {status} since {hour}', 'ignores "{field}"', 'is limited at {n} calls', 'takes {few} s, not one'],
    fixes: ["That was a fault of yesterday's release. The fix is out.", 'Could you send the id of one failed request?'],
  },
  export: {
    things: ['The export of "{project}"', 'The CSV of "{report}"', 'The report "{report}"', 'The import of {file}'],
    events: ['is stuck at {percent} %', 'stops at row {n}', 'has {few} broken rows', 'did not arrive on {weekday}'],
    fixes: ['It ran into a time limit. I started it anew.', 'Your gateway deferred it. I sent it once more.'],
  },
  outage: {
    tags: ['outage', 'urgent'],
    things: ['"{project}"', 'The dashboard "{report}"', 'Everything in {region}', 'Our domain {domain}'],
    events: ['is down since {hour}', 'answers {status} in {city}', 'is {few} hours behind', 'loads in {few} s'],
    fixes: ['The team is on it, and I write again within the hour.', 'All is back to normal; a report follows.'],
  },
  integrations: {
    things: ['The {integration} integration', 'Sync with {integration}', '{integration} for "{project}"'],
    events: ['disconnected {few} times', 'made {n} duplicates', 'lost the field "{field}"', 'skips every {event}'],
    fixes: ['The mapping lost this field. It is back now.', 'I merged the duplicates; it will not happen again.'],
  },
  cancellation: {
    tags: ['churn-risk'],
    things: ['We want to cancel {plan}', '{company} leaves {plan}', 'Please end our {plan} plan'],
    events: [
      'at the end of the period',
      'as {few} seats are enough',
      'after the outage of {date}',
      'as {amount} is too much',
    ],
    fixes: ['Nothing will be charged after this period.', 'I can offer two months free on yearly billing.'],
  },
  trial: {
    things: ['Our trial of {plan2}', 'The demo of {feature}', 'Testing {feature} at {company}'],
    events: ['needs {few} more days', 'ended on {date}', 'is for {few} more people', 'raised {few} questions'],
    fixes: ['I extended your trial by 14 days.', 'Viewers are free. You only pay for people who edit.'],
  },
  'how-to': {
    things: ['How can I share', 'Where do I find', 'Who can see', 'Can I restore', 'How do I rename'],
    events: ['"{report}"', '"{project}"', '{feature} in "{project}"', 'comments on "{report}"'],
    fixes: ['You can do this under Settings, Sharing.', 'It moved to the menu at the top right. Sorry for the search!'],
  },
  spam: {
    things: ['Rank {domain} first on Google', 'Get {n} new followers', 'A business proposal for {company}'],
    events: ['in {few} days', 'before {weekday}', 'with {few} free audits', 'for only {few} $ a day'],
  },
};
/** Mail in other languages, which is rarer. */
export const foreignMail = [
  ['de', 'billing', 'Rechnung {invoice}: USt-IdNr. fehlt', 'Bitte senden Sie uns eine korrigierte Fassung.'],
  ['de', 'login', 'Anmeldung über {idp} nicht möglich', 'Nach der Anmeldung kommt nur eine weiße Seite.'],
  ['fr', 'export', 'Export CSV de « {project} » incomplet', 'Le fichier s’arrête à la ligne {n}.'],
  ['es', 'cancellation', 'Queremos cancelar el plan {plan}', 'Por favor, confirmen la fecha de baja.'],
  ['pt-BR', 'api', 'API retorna {status} desde {hour}', 'Todas as chamadas para /v2/{endpoint} falham.'],
  ['ja', 'billing', '請求書 {invoice} の宛名を変更したい', '宛名を「{company}」に変更していただけますか。'],
] as const;
/** The lines of a letter: one of each list. */
export const letter: readonly (readonly string[])[] = [
  ['Hi,', 'Hello,', 'Hi there,', 'Hello support team,', 'Good morning,', 'Dear Northwind team,'],
  [
    'We talked about it at {hour} today, and {few} of us wait for an answer.',
    '{member} asked me to write, as it holds up "{project}".',
    'We are {seats} people on {plan}, and our auditors ask about it on {weekday}.',
    'I wrote about it on {date} already.',
    'I looked through the help centre and found nothing about it.',
  ],
  ['Could you look into it?', 'Please call me back.', 'What do you need from us?', 'I attached a screenshot.'],
  ['Thanks', 'Thank you', 'Best regards', 'Kind regards', 'Cheers', 'Many thanks in advance'],
];
/** What customers write when they come back to their question. */
export const followUps = [
  'Unfortunately it still happens, I have just tried it again.',
  'Is there any news? Our team is waiting for this.',
  'That worked, thank you! Does the same hold for our other workspace?',
  'This is the third time that I ask. Could somebody call me?',
];

export const refundThings = [
  'Refund {amount} of {invoice}:',
  '{company} asks for {amount}:',
  'Order {order}, {amount} back:',
];
/** By reason. */
export const refundEvents = {
  duplicate: ['charged twice on {card}', 'paid by card and by bank', 'double click'],
  unused: ['{few} seats never used', 'renewed by mistake', 'no sign-in since {date}'],
  downgrade: ['moved to a smaller plan', '{few} seats fewer', 'rest of the term'],
  outage: ['{few} hours down in {region}', 'SLA of {plan}', 'exports failed on {date}'],
  other: ['no reason given', 'wrong VAT', 'goodwill', 'wrong workspace upgraded'],
  fraud: ['cardholder disputes it', 'chargeback on {card}', 'unknown to the payer'],
};
/** Topics of requests for refunds and of reports of abuse. */
export const remarks = [
  'We wrote about it on {date} and got no answer yet.',
  'It happened {few} times this year; the documents are attached.',
  'Please settle it before {weekday}, and write to {email} if anything is missing.',
  '{member} of our finance team can tell you more.',
];

export const signupThings = ['{company}', '{name} of {company}', '{email}'];
export const signupEvents = {
  new: ['wants {plan} with {seats} seats', 'signed up for {plan} from {country}', 'asks for invoices on {plan}'],
  risky: ['has risk score {risk} on {plan}', 'signed up {few} times from {address}', 'pays {plan} by a prepaid card'],
  existing: ['requests a second workspace for {seats} people', 'signed up again, now for {plan}'],
};

export const abuseThings = ['{site}', 'Workspace "{workspace}"', 'An account of {company}'];
/** By category. */
export const abuseEvents = {
  phishing: ['imitates {brand}', 'asks for cards of {brand}', 'is a fake {brand} login'],
  spam: ['sent {n} invitations since {hour}', 'hit {few} spam traps', 'mails {n} strangers'],
  copyright: ['copies a course', 'uses the logo of {brand}', 'got {few} DMCA notices'],
  malware: ['links to a known loader', 'shared an infected {file}', 'hosts {few} trojans'],
  'credential-stuffing': ['had {n} failed sign-ins', 'is tried from {address}'],
  'crypto-mining': ['mines coins since {date}', 'keeps {few} runners at {percent} % CPU'],
  harassment: ['posts threats in {few} places', 'insults {member}', 'published the address of {member}'],
};

/** Northwind's own services; `routes`: routes, jobs, topics or views. */
export const services = [
  { name: 'checkout-web', side: 'web', tag: 'checkout', routes: ['/checkout', '/plans', '/cart'] },
  { name: 'dashboard-web', side: 'web', tag: 'frontend', routes: ['/explore', '/settings/members'] },
  { name: 'billing-api', side: 'node', tag: 'payments', routes: ['POST /v2/invoices', 'GET /v2/usage'] },
  { name: 'auth-api', side: 'node', tag: 'auth', routes: ['POST /saml/acs', 'POST /sessions'] },
  { name: 'export-worker', side: 'node', tag: 'exports', routes: ['job export.csv', 'job report.sent'] },
  { name: 'search-indexer', side: 'jvm', tag: 'search', routes: ['job reindex', 'job index.document'] },
  {
    name: 'usage-ingest',
    side: 'jvm',
    tag: 'backend',
    weight: 8,
    routes: ['topic events', 'topic rollup'],
  },
  {
    name: 'ios-app',
    side: 'phone',
    tag: 'mobile',
    weight: 8,
    routes: ['DashboardView', 'LoginView'],
  },
] as const;
export const files = {
  web: ['CartSummary.tsx', 'ChartGrid.tsx', 'ShareDialog.tsx', 'useCoupon.ts', 'useLiveQuery.ts', 'permissions.ts'],
  node: ['proration.ts', 'dunning.ts', 'session.ts', 'totp.ts', 'csv.ts', 'upload.ts', 'retry.ts'],
  jvm: ['IndexWriter.java', 'ShardRouter.java', 'EventConsumer.java', 'RollupService.java'],
  phone: ['SyncEngine.swift', 'LoginFlow.swift', 'DashboardViewModel.swift'],
};
/** Error messages of the services on each side. `noise`: messages that the manifest's triage rule ignores. */
export const errors = {
  web: [
    "TypeError: {component}: Cannot read properties of undefined (reading '{property}')",
    "TypeError: {component}: Cannot set properties of null (setting '{property}')",
    'ReferenceError: {property} is not defined in {component}',
    'RangeError: Invalid currency code for {property} in {component}',
    'HydrationError: Text of {property} in <{component}> does not match the HTML of the server',
    'SyntaxError: Unexpected end of JSON from /v2/{endpoint} after {n} bytes',
  ],
  node: [
    'TimeoutError: Request to {host} timed out after {ms} ms',
    'TimeoutError: Job in queue {queue} exceeded {ms} ms',
    'ConnectionError: connect ECONNREFUSED {host} after {few} attempts',
    'DatabaseError: duplicate key value violates unique constraint "{table}_{property}_key"',
    'DatabaseError: deadlock detected on {table} after {ms} ms',
    "ValidationError: {endpoint} must have required property '{field}'",
    'PaymentError: authentication_required for charge ch_{n}',
    'SignatureError: Webhook signature mismatch for {event}, attempt {few}',
    'HeapLimitError: Reached heap limit after {n} rows of {table}',
  ],
  jvm: [
    'OutOfMemoryError: Java heap space while rolling up {n} rows of {table}',
    'NullPointerException: parameter {field} of {endpoint} must not be null',
    'IllegalStateException: Shard {few} of {endpoint} is not assigned in {region}',
    'ConnectionError: read ECONNRESET {host} after {ms} ms',
  ],
  phone: [
    'DecodingError: keyNotFound "{property}" in {endpoint}',
    'EXC_BAD_ACCESS: Unexpectedly found nil while unwrapping {property} of {endpoint}',
    'URLError: The request for /v2/{endpoint} timed out after {few} s',
  ],
  noise: [
    'AbortError: The user left {component} while /v2/{endpoint} was loading',
    'AbortError: The user aborted /v2/{endpoint} after {ms} ms',
    'ChunkLoadError: Loading chunk {n} failed',
  ],
};
export const calls = ['render', 'handle', 'apply', 'load', 'update', 'process', 'resolve', 'commit', 'flush', 'parse'];

const customerNotes = [
  'Called the customer, they will send a screenshot.',
  'Second message from them this week, please handle with care.',
  'Their contract is up for renewal next month.',
  'Within the 30 days of our policy.',
];
const checkNotes = [
  'Company exists, website matches the domain.',
  'Saved evidence before touching anything.',
  'Not the first one of this workspace.',
];
const errorNotes = [
  'Started with the last release, bisecting.',
  'Always the same few accounts.',
  'Fix is merged, goes out with the next release.',
];
/** By inbox: the roles of those who work there, first those who do most, and what they write about items and tag them with. */
export const talk = {
  support: {
    crew: ['support', 'operator'],
    notes: customerNotes,
    tags: ['needs-info', 'bug', 'urgent', 'refund-risk'],
  },
  errors: { crew: ['engineering', 'operator'], notes: errorNotes, tags: ['p1', 'p2', 'p3', 'needs-repro', 'flaky'] },
  refunds: { crew: ['support', 'operator'], notes: customerNotes, tags: ['goodwill'] },
  signups: { crew: ['operator'], notes: checkNotes, tags: ['partner'] },
  abuse: { crew: ['operator'], notes: checkNotes, tags: ['repeat-offender', 'free-plan', 'trusted-reporter'] },
};
export const thanks = ['Thank you for the details.', 'Sorry for the trouble.', 'Thanks for writing.'];
/** How first replies go on where the topic has nothing of its own. */
export const nextSteps = [
  'We look into it and act within one working day.',
  'Could you send us a screenshot or the number of your order?',
];
export const bounces = ['550 5.1.1 The e-mail account does not exist', '552 5.2.2 Mailbox full'];
