/** What the sample app's actions do to its data: each returns what changes, or refuses. */
import { ActionFailed } from '../../shared/sdk/index.ts';
import type { Outcome, Shop, ShopRecord } from './shop.ts';

const need = (shop: Shop, resource: string, id: string | undefined): ShopRecord => {
  const record = id === undefined ? undefined : shop.find(resource, id);
  if (record === undefined) throw new ActionFailed(`There is no ${resource} ${id ?? ''} any more.`);
  return record;
};
const text = (record: ShopRecord, field: string): string => String(record.fields[field] ?? '');

export const refund = (
  shop: Shop,
  id: string | undefined,
  { amount, reason }: { amount?: number | undefined; reason: string },
): Outcome => {
  const order = need(shop, 'order', id);
  const total = Number(order.fields['total']);
  // Several refunds of one order may be approved before the first is done, so each is held against what is left.
  const before = Number(order.fields['refunded'] ?? 0);
  const left = total - before;
  const wanted = amount ?? left;
  if (text(order, 'status') === 'refunded') throw new ActionFailed(`${order.title} is refunded already.`);
  if (wanted > left)
    throw new ActionFailed(
      `${String(wanted)} is more than the ${String(left)} that ${before === 0 ? 'were paid' : 'are left'}.`,
    );
  const status = wanted === left ? 'refunded' : 'partly_refunded';
  return {
    message: `Refunded ${String(wanted)} ${text(order, 'currency')} (${reason}).`,
    changes: [
      { resource: 'order', id: order.id, fields: { status, refunded: before + wanted } },
      { resource: 'payment', id: text(order, 'payment'), fields: { status } },
    ],
  };
};

export const credit = (shop: Shop, id: string | undefined, amount: number): Outcome => {
  const customer = need(shop, 'customer', id);
  const now = Number(customer.fields['credit'] ?? 0) + amount;
  return {
    message: `${customer.title} has ${String(now)} ${text(customer, 'currency')} of credit.`,
    changes: [{ resource: 'customer', id: customer.id, fields: { credit: now } }],
  };
};

export const suspend = (shop: Shop, id: string | undefined, reason: string): Outcome => {
  const customer = need(shop, 'customer', id);
  return {
    message: `${customer.title} is suspended.`,
    changes: [
      { resource: 'customer', id: customer.id, fields: { status: 'suspended', suspendedFor: reason } },
      { resource: 'subscription', id: customer.id.replace('cus_', 'sub_'), fields: { status: 'paused' } },
    ],
  };
};

/** Throws unless the name was typed as it is. */
export const confirmCompany = (shop: Shop, id: string | undefined, company: string): void => {
  const customer = shop.find('customer', id ?? '');
  if (customer !== undefined && customer.title !== company)
    throw new ActionFailed(`The company is ${customer.title}, not ${company}.`);
};

export const cancel = (shop: Shop, id: string | undefined, at: 'now' | 'period_end'): Outcome => {
  const subscription = need(shop, 'subscription', id);
  const fields = at === 'now' ? { status: 'canceled' } : { cancelsAt: subscription.fields['renewsAt'] };
  return {
    message: at === 'now' ? 'Cancelled.' : 'Ends with its period.',
    changes: [{ resource: 'subscription', id: subscription.id, fields }],
  };
};

/** Returns why nothing is exported for a customer; null: it may be. */
export const whyNoExport = (customer: ShopRecord): string | null =>
  text(customer, 'plan') === 'Free' ? 'Exports are part of the paid plans.' : null;

/** Returns why the customer's payments are not retried; null: they may be. */
export const whyNoRetry = (customer: ShopRecord | undefined): string | null =>
  customer !== undefined && text(customer, 'status') === 'suspended' ? 'The customer is suspended.' : null;

export const requireExport = (shop: Shop, id: string | undefined): void => {
  const why = whyNoExport(need(shop, 'customer', id));
  if (why !== null) throw new ActionFailed(why);
};

export const retry = (shop: Shop, id: string | undefined): Outcome => {
  const payment = need(shop, 'payment', id);
  const why = whyNoRetry(shop.find('customer', text(payment, 'customer')));
  if (why !== null) throw new ActionFailed(why);
  // A third of the cards is declined, and always the same ones.
  if (Number(payment.id.replace(/\D/g, '')) % 3 === 0) throw new ActionFailed('The card was declined.');
  return {
    message: 'Paid.',
    changes: [
      { resource: 'payment', id: payment.id, fields: { status: 'captured', capturedAt: Date.now() } },
      { resource: 'order', id: text(payment, 'order'), fields: { status: 'paid' } },
    ],
  };
};
