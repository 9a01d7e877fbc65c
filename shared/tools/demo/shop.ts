/** The customers of Northwind Cloud with their orders, payments and subscriptions; used by the demo's items, its loader and the sample app. */
import { MS, Random } from './random.ts';
import { companyHeads, companyTails, firstNames, lastNames } from './words.ts';

export interface DemoRecord {
  readonly resource: 'customer' | 'order' | 'payment' | 'subscription';
  readonly id: string;
  readonly title: string;
  readonly subtitle: string;
  readonly fields: Readonly<Record<string, string | number | boolean | null>>;
  readonly updatedAt: number;
}

/** With the price of a seat a month, and the usual numbers of seats; the first are the most frequent. */
const plans = [
  { name: 'Team', price: 19, fewest: 5, most: 40 },
  { name: 'Starter', price: 9, fewest: 3, most: 10 },
  { name: 'Business', price: 39, fewest: 15, most: 150 },
  { name: 'Free', price: 0, fewest: 3, most: 3 },
  { name: 'Enterprise', price: 79, fewest: 80, most: 900 },
];
/** By currency; the more often it is named the more customers. */
const countries = {
  USD: ['US', 'US', 'US', 'CA', 'BR', 'IN', 'JP', 'AU'],
  EUR: ['DE', 'DE', 'FR', 'FR', 'NL', 'ES', 'SE', 'IT', 'PL'],
  GBP: ['GB'],
};
const currencies = ['USD', 'USD', 'USD', 'EUR', 'EUR', 'EUR', 'GBP'] as const;
const methods = ['Visa •••• 4242', 'Mastercard •••• 8210', 'Amex •••• 0005', 'SEPA •••• 6614', 'PayPal', 'iDEAL'];
/** By state of the customer and of the order; the first is by far the most frequent. */
const subscriptionStates = {
  active: 'active',
  trial: 'trialing',
  past_due: 'past_due',
  cancelled: 'canceled',
  suspended: 'paused',
};
const paymentStates = {
  paid: 'captured',
  refunded: 'refunded',
  past_due: 'failed',
  draft: 'pending',
  cancelled: 'pending',
};
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the constant has no other keys
const namesOf = <T extends object>(states: T): (keyof T)[] => Object.keys(states) as (keyof T)[];

const plain = new Map(Object.entries({ ł: 'l', ø: 'o', ß: 'ss', æ: 'ae', đ: 'd' }));

/** Returns a name as it may be used in an e-mail address or a domain. */
export const slug = (name: string): string => {
  const letters = name.toLowerCase().replace(/[łøßæđ]/g, (letter) => plain.get(letter) ?? '');
  return letters.normalize('NFD').replace(/[^a-z0-9]/g, '');
};

/** Returns a company, another for each number below the count of all combinations: the step has no factor in common with it. */
const company = (n: number): string => {
  const place = (n * 1_019) % (companyHeads.length * companyTails.length);
  return `${companyHeads[Math.floor(place / companyTails.length)] ?? ''} ${companyTails[place % companyTails.length] ?? ''}`;
};
export const fullName = (random: Random): string => `${random.pick(firstNames)} ${random.pick(lastNames)}`;
export const address = (name: string, domain: string): string => `${name.split(' ').map(slug).join('.')}@${domain}`;

const inventCustomer = (random: Random, n: number, since: number) => {
  const [name, contact, { price, ...bought }] = [company(n), fullName(random), random.pick(plans, 2)];
  const seats = random.int(bought.fewest, random.int(bought.fewest, bought.most));
  const currency = random.pick(currencies);
  const domain = `${slug(name)}.example`;
  return {
    id: `cus_${String(1_001 + n)}`,
    email: address(contact, domain),
    company: name,
    contact,
    domain,
    plan: bought.name,
    seats,
    mrr: price * seats,
    currency,
    country: random.pick(countries[currency]),
    status: price === 0 ? ('active' as const) : random.pick(namesOf(subscriptionStates), 9),
    vip: bought.name === 'Enterprise' || (bought.name === 'Business' && random.chance(0.15)),
    since,
  };
};
export type Customer = ReturnType<typeof inventCustomer>;

const customersCount = 2_000;
const ordersCount = 3_000;

/** Returns somebody without a record: from one of the companies that the customers leave over. */
export const stranger = (random: Random, at: number): Customer =>
  inventCustomer(random, random.int(customersCount, companyHeads.length * companyTails.length - 1), at);

const inventOrder = (random: Random, n: number, customer: Customer, placedAt: number) => {
  const interval = random.chance(0.35) ? 'year' : 'month';
  return {
    id: `ord_${String(n)}`,
    title: `Order NW-${String(n)}`,
    invoice: `INV-${String(n)}`,
    payment: `pay_${String(n)}`,
    customer,
    interval,
    // Two months of a year are free.
    total: customer.mrr * (interval === 'year' ? 10 : 1),
    status: random.pick(namesOf(paymentStates), 9),
    method: random.pick(methods),
    placedAt,
  };
};
export type Order = ReturnType<typeof inventOrder>;

const formats = new Map(
  [...new Set(currencies)].map((currency) => [currency, new Intl.NumberFormat('en', { style: 'currency', currency })]),
);
export const money = (amount: number, currency: Customer['currency']): string =>
  formats.get(currency)?.format(amount) ?? String(amount);
export const subscriptionId = ({ id }: Customer): string => id.replace('cus_', 'sub_');

/** Returns `count` times of the `span` before `now`, oldest first. */
const timesUntil = (random: Random, now: number, span: number, count: number): number[] =>
  Array.from({ length: count }, () => now - Math.round(random.next() * span)).sort((a, b) => a - b);

export class Shop {
  readonly customers: readonly Customer[];
  readonly orders: readonly Order[];

  constructor(seed: number, now: number) {
    const random = new Random(seed, -1);
    const joined = timesUntil(random, now - MS.hour, 4 * 365 * MS.day, customersCount);
    this.customers = joined.map((since, n) => inventCustomer(random, n, since));
    const paying = this.customers.filter(({ mrr }) => mrr > 0);
    this.orders = timesUntil(random, now, 400 * MS.day, ordersCount).map((at, n) => {
      const known = paying.findLastIndex(({ since }) => since <= at) + 1;
      return inventOrder(random, 18_001 + n, random.pick(paying, 1, known), at);
    });
  }

  /** Returns a customer who had joined by `at`, more often an old one: a few write most of the mail. */
  customerAt(random: Random, at: number): Customer {
    return random.pick(this.customers, 1.7, this.customers.findLastIndex(({ since }) => since <= at) + 1);
  }

  /** Returns one of the 400 newest orders at `at`: customers request refunds within weeks. */
  orderAt(random: Random, at: number): Order {
    const placed = this.orders.findLastIndex(({ placedAt }) => placedAt <= at) + 1;
    return random.pick(this.orders.slice(Math.max(0, placed - 400), placed));
  }

  lastOrderOf(customer: Customer, at: number): Order | undefined {
    return this.orders.findLast((order) => order.customer === customer && order.placedAt <= at);
  }
}

const customerRecord = (customer: Customer, now: number): DemoRecord => {
  const { id, domain: _, ...fields } = customer;
  const { company: title, plan, seats, contact, since } = fields;
  const updatedAt = since + Math.floor((now - since) * 0.9);
  return {
    resource: 'customer',
    id,
    title,
    subtitle: `${plan}, ${String(seats)} seats · ${contact}`,
    fields,
    updatedAt,
  };
};

const orderRecord = (order: Order): DemoRecord => {
  const { id, title, invoice, interval, total, payment, placedAt, status, customer } = order;
  const { email, plan, seats, currency, company: buyer } = customer;
  const rest = { plan, seats, interval, total, currency, status, payment, placedAt };
  const subtitle = `${plan}, ${String(seats)} seats, per ${interval} · ${buyer}`;
  const fields = { customer: customer.id, email, invoice, ...rest };
  return { resource: 'order', id, title, subtitle, fields, updatedAt: placedAt };
};

const paymentRecord = ({ id, title, payment, customer, total, method, placedAt, ...order }: Order): DemoRecord => {
  const { currency, company: buyer } = customer;
  const status = paymentStates[order.status];
  const capturedAt = status === 'captured' || status === 'refunded' ? placedAt : null;
  return {
    resource: 'payment',
    id: payment,
    title: `${money(total, currency)} by ${method}`,
    subtitle: `${title} · ${buyer}`,
    fields: { customer: customer.id, order: id, amount: total, currency, method, status, capturedAt },
    updatedAt: placedAt,
  };
};

const subscriptionRecord = (customer: Customer, now: number): DemoRecord => {
  const { id, company: title, plan, seats, status, since } = customer;
  const month = 30 * MS.day;
  const renewsAt = now + month - ((now - since) % month);
  return {
    resource: 'subscription',
    id: subscriptionId(customer),
    title: `${plan} for ${title}`,
    subtitle: `${String(seats)} seats`,
    fields: { customer: id, plan, seats, status: subscriptionStates[status], renewsAt },
    updatedAt: since,
  };
};

/** Returns the customers and orders, which the service stores, and the payments and subscriptions, which the sample app serves. */
export const demoRecords = (seed: number, now: number): { stored: DemoRecord[]; served: DemoRecord[] } => {
  const { customers, orders } = new Shop(seed, now);
  return {
    stored: [...customers.map((customer) => customerRecord(customer, now)), ...orders.map(orderRecord)],
    served: [...orders.map(paymentRecord), ...customers.map((customer) => subscriptionRecord(customer, now))],
  };
};
