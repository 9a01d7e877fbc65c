/**
 * Addresses of replies: the customer's, out of an item that anybody may have filled in, and the inbox's own. Only one
 * plain address ever leaves here, so that nothing in an item adds a recipient or a header. Called by the operation, which
 * refuses what has none, and by the delivery.
 */
import { domainToASCII } from 'node:url';
import { fillTemplate } from '../platform/core/conditions.ts';
import type { Item } from './model.ts';

const addressPattern = /^[^\s\p{C}@<>()[\]\\,;:"]{1,64}@([^\s\p{C}@<>()[\]\\,;:"]{1,255})$/u;

/** The address's domain as it stands on the wire, or null for what is not one plain address. */
const parseDomain = (address: string): string | null => {
  const domain = domainToASCII(addressPattern.exec(address)?.[1] ?? '');
  return domain === '' ? null : domain;
};

/** The customer's address by the inbox's template, or null. */
export const resolveCustomerAddress = (
  template: string,
  { id, fields }: Pick<Item, 'id' | 'fields'>,
): string | null => {
  const filled = fillTemplate(template, { item: { id, fields: JSON.parse(fields) as unknown } });
  const address = typeof filled === 'string' ? filled.trim() : '';
  return parseDomain(address) === null ? null : address;
};

export interface ReplySender {
  readonly name: string;
  readonly address: string;
  readonly domain: string;
}

/** `support@example.com` or `Support <support@example.com>`; null for anything else. */
export const parseSender = (from: string): ReplySender | null => {
  const named = /^([^<>\p{C}]*)<([^<>]*)>$/u.exec(from.trim());
  const address = (named?.[2] ?? from).trim();
  const domain = parseDomain(address);
  return domain === null ? null : { name: (named?.[1] ?? '').trim().replace(/^"(.*)"$/, '$1'), address, domain };
};
