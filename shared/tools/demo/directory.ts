// Northwind Cloud's customers, orders, payments and subscriptions, and the choice of one for an item; used by the drafts.

import { mix, MS, Random } from './random.ts';
import { ordersOfCustomers, type Customer, type DemoOrder } from './sales.ts';
import { companyHeads, companyTails, countries, firstNames, lastNames, plans, slug } from './words/names.ts';

const CUSTOMERS = 2_000;
const OLDEST = 4 * 365 * MS.day;
/** Any step without a common factor walks through all combinations of two lists, so each company exists once. */
const STEP = 1_009;

export function company(n: number): string {
  const combination = (n * STEP) % (companyHeads.length * companyTails.length);
  const head = companyHeads[Math.floor(combination / companyTails.length)];
  const tail = companyTails[combination % companyTails.length];
  return `${head ?? ''} ${tail ?? ''}`;
}

export function fullName(random: Random): string {
  return `${random.pick(firstNames)} ${random.pick(lastNames)}`;
}

export function address(name: string, domain: string): string {
  return `${name.split(' ').map(slug).join('.')}@${domain}`;
}

function inventCustomer(random: Random, n: number, since: number): Customer {
  const name = company(n);
  const contact = fullName(random);
  const domain = `${slug(name)}.example`;
  const plan = random.weighted(plans);
  const [fewest, most] = plan.seats;
  const seats = random.int(fewest, Math.round(fewest + (most - fewest) * random.next() + 0.5));
  const { code, currency } = random.weighted(countries);
  const roll = random.next();
  const status =
    plan.price === 0
      ? 'active'
      : roll < 0.84
        ? 'active'
        : roll < 0.91
          ? 'trial'
          : roll < 0.95
            ? 'past_due'
            : roll < 0.99
              ? 'cancelled'
              : 'suspended';
  return {
    id: `cus_${1_001 + n}`,
    company: name,
    contact,
    domain,
    email: address(contact, domain),
    plan: plan.name,
    seats: Math.min(seats, most),
    price: plan.price,
    country: code,
    currency,
    status,
    vip: plan.name === 'Enterprise' || (plan.name === 'Business' && random.chance(0.15)),
    since,
  };
}

export class DemoDirectory {
  readonly customers: readonly Customer[];
  readonly orders: readonly DemoOrder[];
  readonly #ordersOf = new Map<string, DemoOrder[]>();

  constructor(seed: number, now: number) {
    const random = new Random(mix(seed, -1));
    const joined = Array.from({ length: CUSTOMERS }, () => now - Math.round(random.next() * OLDEST) - MS.hour).sort(
      (a, b) => a - b,
    );
    this.customers = joined.map((since, n) => inventCustomer(random, n, since));
    this.orders = ordersOfCustomers(random, this.customers, now);
    for (const order of this.orders) {
      const known = this.#ordersOf.get(order.customer.id);
      if (known === undefined) this.#ordersOf.set(order.customer.id, [order]);
      else known.push(order);
    }
  }

  /** Returns a customer who had joined by `at`. */
  customerAt(random: Random, at: number): Customer {
    return random.pickSkewed(
      this.customers,
      Math.max(
        1,
        countUpTo(this.customers, at, ({ since }) => since),
      ),
    );
  }

  /** Returns one of the 400 newest orders at `at`: customers request refunds within weeks. */
  orderAt(random: Random, at: number): DemoOrder {
    const placed = Math.max(
      1,
      countUpTo(this.orders, at, ({ placedAt }) => placedAt),
    );
    return this.orders[random.int(Math.max(0, placed - 400), placed - 1)] ?? random.pick(this.orders);
  }

  lastOrderOf(customer: Customer, at: number): DemoOrder | null {
    return this.#ordersOf.get(customer.id)?.findLast(({ placedAt }) => placedAt <= at) ?? null;
  }
}

/** Returns how many entries of a list, sorted by `timeOf`, are not after `at`. */
function countUpTo<T>(list: readonly T[], at: number, timeOf: (entry: T) => number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = list[middle];
    if (entry !== undefined && timeOf(entry) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
