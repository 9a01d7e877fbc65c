// Drafts of refund requests, sign-ups to review and reports of abuse; used by generate.ts.

import { address, fullName } from '../directory.ts';
import type { Random } from '../random.ts';
import { money, orderId, paymentId } from '../sales.ts';
import {
  abuseCategories,
  brands,
  disposableDomains,
  refundReasons,
  riskyTitles,
  secondWorkspaceTitles,
  signupTitles,
} from '../words/cases.ts';
import { Filler } from '../words/fill.ts';
import { plans, slug } from '../words/names.ts';
import { aboutCustomer, aboutOrder, knownOf, type Draft, type Scene } from './draft.ts';
import { stranger } from './support.ts';

export function draftRefund({ random, directory, at, handle }: Scene): Draft {
  const order = directory.orderAt(random, at);
  const { customer } = order;
  const reasons =
    customer.plan === 'Starter' ? refundReasons.filter(({ name }) => name !== 'downgrade') : refundReasons;
  const reason = random.weighted(reasons);
  const amount = Math.round(order.total * shareOf(random, reason.name) * 100) / 100;
  const filler = new Filler(random, {
    ...knownOf(random, at, customer, order),
    amount: money(amount, customer.currency),
  });
  const [title, comment] = random.pick(reason.cases);
  return {
    inbox: 'refunds',
    title: filler.fill(title),
    record: aboutOrder(order),
    key: `refund/${handle}`,
    links: [
      { resource: 'customer', id: customer.id },
      { resource: 'payment', id: paymentId(order) },
    ],
    fields: {
      order: orderId(order),
      invoice: order.invoice,
      amount,
      currency: customer.currency,
      reason: reason.name,
      method: order.method,
      email: customer.email,
      comment: filler.fill(comment),
    },
    tags: [...reason.tags, ...(amount >= 1_000 ? ['large'] : [])].sort(),
    verdict: null,
  };
}

/** Returns the part of an order to refund: a part of the term, a few days, or all of it. */
function shareOf(random: Random, reason: string): number {
  if (reason === 'unused' || reason === 'downgrade') return random.int(15, 85) / 100;
  return reason === 'outage' ? random.int(3, 15) / 100 : 1;
}

function networkAddress(random: Random): string {
  // The three networks that RFC 5737 reserves for documentation.
  return `${random.pick(['192.0.2', '198.51.100', '203.0.113'])}.${random.int(1, 254)}`;
}

export function draftSignup({ random, directory, at, handle }: Scene): Draft {
  const risk = Math.floor(random.next() ** 1.4 * 101);
  const risky = risk >= 70;
  const again = !risky && random.chance(0.2);
  const customer = again ? directory.customerAt(random, at) : stranger(random, at);
  const plan = random.weighted(plans);
  const [fewest, most] = plan.seats;
  const seats = random.int(fewest, most);
  const name = fullName(random);
  const email = address(name, risky && random.chance(0.6) ? random.pick(disposableDomains) : customer.domain);
  const from = networkAddress(random);
  const known = {
    company: customer.company,
    name,
    email,
    plan: plan.name,
    seats: String(seats),
    country: customer.country,
    risk: String(risk),
    address: from,
  };
  const titles = again ? secondWorkspaceTitles : risky ? riskyTitles : signupTitles;
  return {
    inbox: 'signups',
    title: new Filler(random, known).fill(random.pick(titles)),
    record: again ? aboutCustomer(customer) : null,
    links: [],
    key: `signup/${handle}`,
    fields: {
      email,
      name,
      company: customer.company,
      plan: plan.name,
      seats,
      country: customer.country,
      address: from,
      riskScore: risk,
    },
    tags: [risky ? 'risky' : seats >= 80 ? 'large' : 'self-serve', ...(again ? ['existing'] : [])].sort(),
    verdict: verdictOnRisk(risk),
  };
}

/** Returns the verdict of the manifest's two rules. */
function verdictOnRisk(risk: number): Draft['verdict'] {
  if (risk < 12) return { answers: { risk: 'low' }, state: 'accepted', tags: [], reason: `Risk score ${risk}` };
  if (risk >= 94)
    return { answers: { risk: 'fraud' }, state: 'rejected', tags: ['fraud'], reason: `Risk score ${risk}` };
  return null;
}

export function draftAbuse({ random, directory, at, handle }: Scene): Draft {
  const category = random.weighted(abuseCategories);
  const customer = directory.customerAt(random, at);
  const name = slug(customer.company);
  const site = `${name}${random.pick(['', '-login', '-files', '-pay', '-help'])}.northwindcloud.example`;
  const known = {
    ...knownOf(random, at, customer, null),
    brand: random.pick(brands),
    site,
    workspace: `"${name}"`,
    address: networkAddress(random),
  };
  const filler = new Filler(random, known);
  const [title, details] = random.pick(category.cases);
  const source = random.pick(['form', 'form', 'email', 'scanner', 'partner']);
  const severity = random.pick(['low', 'medium', 'medium', 'high']);
  const noise = source === 'scanner' && severity === 'low';
  return {
    inbox: 'abuse',
    title: filler.fill(title),
    record: random.chance(0.85) ? aboutCustomer(customer) : null,
    links: [],
    key: random.chance(0.7) ? `abuse/${handle}` : null,
    fields: {
      category: category.name,
      severity,
      target: `https://${site}/${random.hex(6)}`,
      source,
      details: filler.fill(details),
      email:
        source === 'scanner' ? 'scanner@northwind.example' : address(fullName(random), `${slug(known.brand)}.example`),
    },
    tags: [...category.tags, ...(severity === 'high' ? ['urgent'] : [])].sort(),
    verdict: noise
      ? {
          answers: { credible: 'no' },
          state: 'dismissed',
          tags: [],
          reason: 'Low score of the scanner, nothing seen by people',
        }
      : null,
  };
}
