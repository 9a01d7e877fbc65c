// Drafts of mail from customers and from strangers; used by generate.ts.

import { address, company, fullName } from '../directory.ts';
import type { Random } from '../random.ts';
import { orderId, subscriptionId, type Customer } from '../sales.ts';
import type { DemoRef } from '../types.ts';
import { Filler } from '../words/fill.ts';
import { slug } from '../words/names.ts';
import { asides, closings, foreign, greetings, topics } from '../words/support.ts';
import { aboutCustomer, knownOf, type Draft, type Scene } from './draft.ts';

const CHANNELS = [
  { name: 'email', weight: 66 },
  { name: 'web', weight: 20 },
  { name: 'chat', weight: 11 },
  { name: 'phone', weight: 3 },
];

/** Returns a person without a record; named beyond the customers' part of the companies. */
export function stranger(random: Random, at: number): Customer {
  const name = company(random.int(2_000, 2_700));
  const contact = fullName(random);
  const domain = `${slug(name)}.example`;
  return {
    id: '',
    company: name,
    contact,
    domain,
    email: address(contact, domain),
    plan: 'Team',
    seats: random.int(5, 60),
    price: 19,
    country: 'US',
    currency: 'USD',
    status: 'unknown',
    vip: false,
    since: at,
  };
}

export function draftSupport({ random, directory, at, handle }: Scene): Draft {
  const topic = random.weighted(topics);
  const unknown = topic.name === 'spam' || random.chance(0.1);
  const customer = unknown ? stranger(random, at) : directory.customerAt(random, at);
  const order = unknown ? null : directory.lastOrderOf(customer, at);
  const writer = random.chance(0.6) ? customer.contact : fullName(random);
  const filler = new Filler(random, { ...knownOf(random, at, customer, order), member: fullName(random) });

  const other = topic.name !== 'spam' && random.chance(0.06) ? random.pick(foreign) : null;
  const [subject, message] = other === null ? random.pick(topic.cases) : [other.title, other.body];
  const title = filler.fill(subject);
  const text = filler.fill(message);
  const body = other === null ? letter(random, text, filler.fill(random.pick(asides)), writer) : `${text}\n\n${writer}`;

  const links: DemoRef[] = [];
  if (order !== null && (title.includes('INV-') || title.includes('NW-')))
    links.push({ resource: 'order', id: orderId(order) });
  if (!unknown && (other?.topic ?? topic.name) === 'cancellation')
    links.push({ resource: 'subscription', id: subscriptionId(customer) });

  const tags = other === null ? [...topic.tags] : [other.tag];
  if (customer.vip) tags.push('vip');
  const spam = topic.name === 'spam';
  return {
    inbox: 'support',
    title,
    record: unknown ? null : aboutCustomer(customer),
    links,
    key: `mail/${handle}`,
    fields: {
      email: address(writer, customer.domain),
      from: writer,
      plan: unknown ? null : customer.plan,
      channel: random.weighted(CHANNELS).name,
      locale: other?.locale ?? 'en',
      topic: other?.topic ?? topic.name,
      body,
    },
    tags: spam ? [] : tags,
    // The manifest's rule: `close` means the first closed state.
    verdict: spam
      ? { answers: { spam: 'yes' }, state: 'closed', tags: ['spam'], reason: 'Unsolicited advertising' }
      : null,
  };
}

function letter(random: Random, text: string, aside: string, writer: string): string {
  const middle = random.chance(0.5) ? `${text}\n\n${aside}` : text;
  return `${random.pick(greetings)}\n\n${middle}\n\n${random.pick(closings)}\n${writer.split(' ')[0] ?? writer}`;
}
