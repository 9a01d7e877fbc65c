/** What the sample app adds to items and records, and which actions apply to them. */
import type { Availability, Block, Item, ItemDetail, Occurrence } from '../../shared/sdk/index.ts';
import { whyNoExport, whyNoRetry } from './effects.ts';
import type { Shop, ShopRecord } from './shop.ts';

const sum = (records: readonly ShopRecord[], field: string): number =>
  records.reduce((total, { fields }) => total + Number(fields[field] ?? 0), 0);

export const standing = (shop: Shop, customer: string): Block[] => {
  const record = shop.find('customer', customer);
  if (record === undefined) return [];
  const orders = shop.all('order').filter(({ fields }) => fields['customer'] === customer);
  const due = orders.filter(({ fields }) => fields['status'] === 'past_due');
  return [
    {
      type: 'fields',
      title: 'Standing',
      fields: [
        { label: 'Orders', value: orders.length, type: 'number' },
        { label: 'Past due', value: sum(due, 'total'), type: 'money' },
        { label: 'Credit', value: Number(record.fields['credit'] ?? 0), type: 'money' },
      ],
    },
  ];
};

const customerOf = (shop: Shop, item: Item): ShopRecord | undefined => {
  if (item.record === null) return undefined;
  const record = shop.find(item.record.resource, item.record.id);
  const customer = item.record.resource === 'customer' ? item.record.id : record?.fields['customer'];
  return typeof customer === 'string' ? shop.find('customer', customer) : undefined;
};

/** Returns what the customer wrote last, unless it is the message that the item was made of. */
const lastMessage = (item: Item, latest: Occurrence | null): Block[] => {
  const body = latest?.data?.['body'];
  return typeof body === 'string' && body !== item.fields['body']
    ? [{ type: 'text', title: 'Latest message', text: body }]
    : [];
};

export const supportDetail = (shop: Shop, item: Item, latest: Occurrence | null): Awaited<ReturnType<ItemDetail>> => {
  const customer = customerOf(shop, item);
  const said = lastMessage(item, latest);
  if (customer === undefined) return { blocks: said };
  const isVip = customer.fields['vip'] === true;
  return {
    blocks: [...said, ...standing(shop, customer.id)],
    suggestedActions: isVip
      ? [
          {
            action: 'issue_credit',
            record: customer.id,
            input: { amount: 25, reason: 'For the trouble' },
            reason: 'An important customer',
          },
        ]
      : [],
  };
};

export const customerActions = (shop: Shop, ids: readonly string[]): Availability =>
  Object.fromEntries(
    ids.flatMap((id) => {
      const customer = shop.find('customer', id);
      if (customer === undefined) return [];
      const amount = Math.min(1_000, Math.max(5, Math.round(Number(customer.fields['mrr'] ?? 0) / 10)));
      const why = whyNoExport(customer);
      const unavailable: Record<string, string> = why === null ? {} : { export_customer_data: why };
      return [[id, { defaults: { issue_credit: { amount, reason: 'Service credit' } }, unavailable }]];
    }),
  );

export const paymentActions = (shop: Shop, ids: readonly string[]): Availability =>
  Object.fromEntries(
    ids.flatMap((id) => {
      const why = whyNoRetry(shop.find('customer', String(shop.find('payment', id)?.fields['customer'])));
      return why === null ? [] : [[id, { unavailable: { retry_payment: why } }]];
    }),
  );
