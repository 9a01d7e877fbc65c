// Makes the orders of the web shop, and the records of customers and orders; used by generate.ts.

import { MS, type Random } from './random.ts';
import type { DemoRecord } from './types.ts';
import { paidPlans, paymentMethods } from './words/names.ts';

const ORDERS = 3_000;
const OLDEST_ORDER = 400 * MS.day;
const YEARLY_MONTHS = 10; // two months free

export interface Customer {
  id: string;
  company: string;
  contact: string;
  domain: string;
  email: string;
  plan: string;
  seats: number;
  /** Per seat and month. */
  price: number;
  country: string;
  currency: string;
  status: string;
  vip: boolean;
  since: number;
}

export interface DemoOrder {
  number: number;
  customer: Customer;
  invoice: string;
  interval: 'month' | 'year';
  total: number;
  status: string;
  method: string;
  placedAt: number;
}

/** Returns the orders of paying customers, oldest first, with numbers that rise with time. */
export function ordersOfCustomers(random: Random, customers: readonly Customer[], now: number): DemoOrder[] {
  const paying = customers.filter(({ plan }) => paidPlans.some(({ name }) => name === plan));
  const orders = Array.from({ length: ORDERS }, () => {
    const customer = random.pick(paying);
    const earliest = Math.max(customer.since, now - OLDEST_ORDER);
    return inventOrder(random, customer, earliest + Math.round(random.next() * (now - earliest)));
  });
  orders.sort((a, b) => a.placedAt - b.placedAt);
  for (const [n, order] of orders.entries()) {
    order.number = 18_001 + n;
    order.invoice = `INV-${18_001 + n}`;
  }
  return orders;
}

function inventOrder(random: Random, customer: Customer, placedAt: number): DemoOrder {
  const interval = random.chance(0.35) ? 'year' : 'month';
  const roll = random.next();
  return {
    number: 0,
    customer,
    invoice: '',
    interval,
    placedAt,
    total: customer.price * customer.seats * (interval === 'year' ? YEARLY_MONTHS : 1),
    status:
      roll < 0.84 ? 'paid' : roll < 0.89 ? 'past_due' : roll < 0.96 ? 'refunded' : roll < 0.98 ? 'draft' : 'cancelled',
    method: random.pick(paymentMethods),
  };
}

const SIGNS: Readonly<Record<string, string>> = { USD: '$', EUR: '€', GBP: '£' };

export function money(amount: number, currency: string): string {
  const [whole, cents] = amount.toFixed(2).split('.');
  return `${SIGNS[currency] ?? `${currency} `}${(whole ?? '0').replace(/\B(?=(\d{3})+$)/g, ',')}.${cents ?? '00'}`;
}

export function customerRecord(customer: Customer, now: number): DemoRecord {
  const { id, company, contact, email, plan, seats, price, currency, country, status, vip, since } = customer;
  return {
    resource: 'customer',
    id,
    title: company,
    subtitle: `${plan}, ${seats} seats · ${contact}`,
    fields: { email, company, contact, plan, seats, mrr: price * seats, currency, country, status, vip, since },
    updatedAt: since + Math.floor((now - since) * 0.9),
  };
}

export const orderId = ({ number }: DemoOrder): string => `ord_${number}`;
export const orderTitle = ({ number }: DemoOrder): string => `Order NW-${number}`;
export const paymentId = ({ number }: DemoOrder): string => `pay_${number}`;
export const subscriptionId = ({ id }: Customer): string => id.replace('cus_', 'sub_');

export function orderRecord(order: DemoOrder): DemoRecord {
  const { customer, invoice, interval, total, status, placedAt } = order;
  const { plan, seats, currency, email } = customer;
  return {
    resource: 'order',
    id: orderId(order),
    title: orderTitle(order),
    subtitle: `${plan}, ${seats} seats, per ${interval} · ${customer.company}`,
    fields: {
      customer: customer.id,
      email,
      invoice,
      plan,
      seats,
      interval,
      total,
      currency,
      status,
      payment: paymentId(order),
      placedAt,
    },
    updatedAt: placedAt,
  };
}

export function paymentRecord(order: DemoOrder): DemoRecord {
  const { customer, total, method, placedAt, status } = order;
  const paid =
    status === 'paid' ? 'captured' : status === 'refunded' ? 'refunded' : status === 'past_due' ? 'failed' : 'pending';
  return {
    resource: 'payment',
    id: paymentId(order),
    title: `${money(total, customer.currency)} by ${method}`,
    subtitle: `${orderTitle(order)} · ${customer.company}`,
    fields: {
      customer: customer.id,
      order: orderId(order),
      amount: total,
      currency: customer.currency,
      method,
      status: paid,
      capturedAt: paid === 'captured' || paid === 'refunded' ? placedAt : null,
    },
    updatedAt: placedAt,
  };
}

const SUBSCRIPTION: Readonly<Record<string, string>> = {
  trial: 'trialing',
  cancelled: 'canceled',
  suspended: 'paused',
};

export function subscriptionRecord(customer: Customer, now: number): DemoRecord {
  const { id, company, plan, seats, status, since } = customer;
  const month = 30 * MS.day;
  return {
    resource: 'subscription',
    id: subscriptionId(customer),
    title: `${plan} for ${company}`,
    subtitle: `${seats} seats`,
    fields: {
      customer: id,
      plan,
      seats,
      status: SUBSCRIPTION[status] ?? status,
      renewsAt: now + month - ((now - since) % month),
    },
    updatedAt: since,
  };
}
