/** Drafts of the demo's items, before anything has happened to them; used by content.ts. */
import type { RecordRef } from '../../items/model.ts';
import { MS, type Random } from './random.ts';
import * as shops from './shop.ts';
import type { Draft } from './story.ts';
import * as words from './words.ts';

interface Scene {
  readonly random: Random;
  readonly shop: shops.Shop;
  readonly at: number;
  /** Eight hex digits, different for each item. */
  readonly handle: string;
}

/** With which the first entries of a list are taken more often. */
const often = 1.7;

const ref = (resource: string, id: string): RecordRef => ({ resource, id });
const aboutCustomer = ({ id, company }: shops.Customer) => ({ record: { resource: 'customer', id, title: company } });

const dayText = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' });

/** Returns the words that a customer, and maybe an order, determines. */
const knownOf = ({ random, at }: Scene, customer: shops.Customer, order?: shops.Order): words.Known => {
  const { contact, seats, currency, mrr, plan } = customer;
  const number = order?.id.slice('ord_'.length) ?? String(random.int(15_000, 18_000));
  return {
    ...Object.fromEntries(Object.entries(customer).map(([member, value]) => [member, String(value)])),
    name: contact,
    invoice: `INV-${number}`,
    order: `NW-${number}`,
    card: order?.method ?? 'Visa •••• 4242',
    plan2: ['Free', 'Starter'].includes(plan) ? random.pick(['Team', 'Business']) : plan,
    few: String(random.int(2, Math.min(9, seats - 1))),
    amount: shops.money(order?.total ?? mrr, currency),
    date: dayText.format(at - random.int(1, 20) * MS.day),
    member: shops.fullName(random),
    // A network that RFC 5737 reserves for documentation.
    address: `198.51.100.${String(random.int(1, 254))}`,
  };
};

export const draftSupport = (scene: Scene): Draft => {
  const { random, shop, at, handle } = scene;
  const foreign = random.chance(0.05) ? random.pick(words.foreignMail) : null;
  const about = foreign?.[1] ?? random.pick(Object.keys(words.supportTopics), often);
  const topic = words.supportTopics[about] ?? { things: [], events: [] };
  const isSpam = about === 'spam';
  const unknown = isSpam || random.chance(0.1);
  const customer = unknown ? shops.stranger(random, at) : shop.customerAt(random, at);
  const order = unknown ? undefined : shop.lastOrderOf(customer, at);
  const known = knownOf(scene, customer, order);
  const from = random.chance(0.6) ? customer.contact : shops.fullName(random);
  const title = foreign === null ? words.titleOf(random, known, topic) : words.fill(random, known, foreign[2]);
  const [greeting = '', story = '', request = '', regards = ''] = words.letter.map((lines) => random.pick(lines));
  const text = foreign?.[3] ?? `${greeting}\n\n${story}${random.pick([' ', '\n\n'])}${request}\n\n${regards}`;
  const links = order !== undefined && /INV-|NW-/.test(title) ? [ref('order', order.id)] : [];
  if (!unknown && about === 'cancellation') links.push(ref('subscription', shops.subscriptionId(customer)));
  return {
    input: {
      inbox: 'support',
      title,
      ...(unknown ? {} : aboutCustomer(customer)),
      links,
      key: `mail/${handle}`,
      data: {
        email: shops.address(from, customer.domain),
        from,
        plan: unknown ? null : customer.plan,
        channel: random.pick(['email', 'web', 'chat', 'phone'], 2),
        locale: foreign?.[0] ?? 'en',
        topic: about,
        body: `${words.fill(random, known, text)}\n${from.split(' ')[0] ?? from}`,
      },
    },
    tags: isSpam ? [] : [...(topic.tags ?? [about]), ...(customer.vip ? ['vip'] : [])],
    verdict: isSpam
      ? { answers: { spam: 'yes' }, close: true, tags: ['spam'], reason: 'Unsolicited advertising' }
      : null,
    replies: topic.fixes ?? words.nextSteps,
  };
};

/** Returns the release of a service at `at`, one every week: a version for phones, a date for the others. */
const releaseAt = (random: Random, side: string, at: number): string =>
  side === 'phone'
    ? `5.${String(Math.floor(at / (7 * MS.day)) % 100)}.${String(random.int(0, 3))}`
    : new Date(at - random.int(0, 6) * MS.day).toISOString().slice(0, 10).replaceAll('-', '.');

export const draftError = ({ random, at, handle }: Scene): Draft => {
  const { name: service, side, tag, routes } = random.pick(words.services, often);
  const isNoise = side === 'web' && random.chance(0.15);
  const url = random.pick(routes);
  const what = words.fill(random, {}, random.pick(words.errors[isNoise ? 'noise' : side]));
  const [type = ''] = what.split(':');
  const frames = Array.from({ length: random.int(3, 6) }, () => {
    const place = `${service}/src/${random.pick(words.files[side])}:${String(random.int(8, 420))}`;
    return `\n    at ${random.pick(words.calls)} (${place})`;
  });
  const verdict = {
    answers: { actionable: 'no' },
    state: 'ignored',
    tags: ['noise'],
    reason: 'Known noise of browsers',
  };
  return {
    input: {
      inbox: 'errors',
      title: `${what} in ${service}${random.chance(0.35) ? ` (${url})` : ''}`,
      key: `${service}/${handle}`,
      data: {
        service,
        release: `${service}@${releaseAt(random, side, at)}`,
        type,
        message: what.slice(type.length + 2),
        level: isNoise ? 'warning' : /Memory|Heap|EXC_/.test(type) ? 'fatal' : 'error',
        url,
        stack: `${what}${frames.join('')}`,
      },
    },
    tags: [tag],
    verdict: isNoise ? verdict : null,
    replies: [],
  };
};

export const draftRefund = (scene: Scene): Draft => {
  const { random, shop, at, handle } = scene;
  const order = shop.orderAt(random, at);
  const { customer, id, title, invoice, payment, method, total } = order;
  const { currency, email } = customer;
  const [reason, events] = random.pick(Object.entries(words.refundEvents), often);
  // Of the term that is left a part, for an outage a few days, else all.
  const [least, most] = { unused: [15, 85], downgrade: [15, 85], outage: [3, 15] }[reason] ?? [100, 100];
  const amount = Math.round(total * random.int(least ?? 0, most ?? 0)) / 100;
  const known: words.Known = { ...knownOf(scene, customer, order), amount: shops.money(amount, currency) };
  const comment = words.fill(random, known, random.pick(words.remarks));
  return {
    input: {
      inbox: 'refunds',
      title: words.titleOf(random, known, { things: words.refundThings, events }),
      record: { resource: 'order', id, title },
      links: [ref('customer', customer.id), ref('payment', payment)],
      key: `refund/${handle}`,
      data: { order: id, invoice, amount, currency, reason, method, email, comment },
    },
    tags: [...(amount >= 1_000 ? ['large'] : []), reason],
    verdict: null,
    replies: words.nextSteps,
  };
};

/** Returns the verdict of the manifest's two rules. */
const verdictOnRisk = (risk: number): Draft['verdict'] => {
  const reason = `Risk score ${String(risk)}`;
  if (risk < 12) return { answers: { risk: 'low' }, state: 'accepted', reason };
  return risk < 94 ? null : { answers: { risk: 'fraud' }, state: 'rejected', tags: ['fraud'], reason };
};

export const draftSignup = (scene: Scene): Draft => {
  const { random, shop, at, handle } = scene;
  const riskScore = Math.floor(random.next() ** 1.4 * 101);
  const risky = riskScore >= 70;
  const again = !risky && random.chance(0.2);
  const customer = again ? shop.customerAt(random, at) : shops.stranger(random, at);
  const { contact: name, company, plan, seats, country } = customer;
  const email = shops.address(name, risky && random.chance(0.6) ? 'tempbox.example' : customer.domain);
  const known: words.Known = { ...knownOf(scene, customer), email, risk: String(riskScore) };
  const events = words.signupEvents[again ? 'existing' : risky ? 'risky' : 'new'];
  return {
    input: {
      inbox: 'signups',
      title: words.titleOf(random, known, { things: words.signupThings, events }),
      ...(again ? aboutCustomer(customer) : {}),
      key: `signup/${handle}`,
      data: { email, name, company, plan, seats, country, address: known['address'], riskScore },
    },
    tags: [...(again ? ['existing'] : []), risky ? 'risky' : seats >= 80 ? 'large' : 'self-serve'],
    verdict: verdictOnRisk(riskScore),
    replies: words.nextSteps,
  };
};

export const draftAbuse = (scene: Scene): Draft => {
  const { random, shop, at, handle } = scene;
  const [category, events] = random.pick(Object.entries(words.abuseEvents), often);
  const customer = shop.customerAt(random, at);
  const workspace = shops.slug(customer.company);
  const site = `${workspace}${random.pick(['', '-login', '-files', '-pay', '-help'])}.northwindcloud.example`;
  const known: words.Known = { ...knownOf(scene, customer), site, workspace };
  const source = random.pick(['form', 'form', 'email', 'scanner', 'partner']);
  const severity = random.pick(['low', 'medium', 'medium', 'high']);
  const isNoise = source === 'scanner' && severity === 'low';
  const email =
    source === 'scanner' ? 'scanner@northwind.example' : shops.address(shops.fullName(random), 'watch.example');
  const target = `https://${site}/${handle.slice(2)}`;
  const details = words.fill(random, known, random.pick(words.remarks));
  return {
    input: {
      inbox: 'abuse',
      title: words.titleOf(random, known, { things: words.abuseThings, events }),
      ...(random.chance(0.85) ? aboutCustomer(customer) : {}),
      ...(random.chance(0.7) ? { key: `abuse/${handle}` } : {}),
      data: { category, severity, target, source, details, email },
    },
    tags: [...(severity === 'high' ? ['urgent'] : []), category],
    verdict: isNoise ? { answers: { credible: 'no' }, state: 'dismissed', reason: 'Low score, seen by nobody' } : null,
    replies: words.nextSteps,
  };
};
