// The type of a draft, an item before anything has happened to it, and what all drafts use.

import type { DemoDirectory } from '../directory.ts';
import { MS, type Random } from '../random.ts';
import { money, orderId, orderTitle, type Customer, type DemoOrder } from '../sales.ts';
import type { DemoItem, DemoRef, InboxName } from '../types.ts';
import { slots } from '../words/slots.ts';

/** The decision of triage; `state` null: it has only answers. */
export interface DraftVerdict {
  answers: Record<string, string>;
  state: string | null;
  tags: string[];
  reason: string | null;
}

export interface Draft {
  inbox: InboxName;
  title: string;
  record: DemoItem['record'];
  links: DemoRef[];
  fields: Record<string, unknown>;
  key: string | null;
  /** The tags that the app would give it. */
  tags: string[];
  /** The verdict of the manifest's rules, null when none applies. */
  verdict: DraftVerdict | null;
}

export interface Scene {
  random: Random;
  directory: DemoDirectory;
  at: number;
  /** Eight hex digits, different for each item. */
  handle: string;
}

export function aboutCustomer({ id, company }: Customer): DemoItem['record'] {
  return { resource: 'customer', id, title: company };
}

export function aboutOrder(order: DemoOrder): DemoItem['record'] {
  return { resource: 'order', id: orderId(order), title: orderTitle(order) };
}

/** Returns a day in the weeks before `at`, as people write it. */
function someDay(random: Random, at: number): string {
  const day = new Date(at - random.int(1, 20) * MS.day);
  const month = slots['month'];
  return `${day.getUTCDate()} ${Array.isArray(month) ? String(month[day.getUTCMonth()]) : ''}`;
}

/** Returns the slots of a template that a customer, and maybe an order, determines. */
export function knownOf(
  random: Random,
  at: number,
  customer: Customer,
  order: DemoOrder | null,
): Record<string, string> {
  const { company, domain, plan, seats, currency, email, contact } = customer;
  const number = order?.number ?? random.int(15_000, 18_000);
  const known: Record<string, string> = {
    company,
    domain,
    plan,
    email,
    name: contact,
    seats: String(seats),
    few: String(random.int(2, Math.max(2, Math.min(9, seats - 1)))),
    invoice: `INV-${number}`,
    order: `NW-${number}`,
    amount: money(order?.total ?? customer.price * seats, currency),
    card: order?.method ?? 'Visa •••• 4242',
    date: someDay(random, at),
  };
  if (plan !== 'Free' && plan !== 'Starter') known['plan2'] = plan;
  return known;
}
