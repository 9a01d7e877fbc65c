/**
 * Addresses of replies: the customer's, from the fields of an item, and the inbox's own. Each function returns one plain
 * address or null, so that no item can add a recipient or a header. Called by the operation reply, which refuses items
 * without an address, and by replies/.
 */
import { domainToASCII } from 'node:url';
import { fillTemplate } from '../platform/core/conditions.ts';
import type { Item } from './model.ts';

const addressPattern = /^[^\s\p{C}@<>()[\]\\,;:"]{1,64}@([^\s\p{C}@<>()[\]\\,;:"]{1,255})$/u;

/** Returns the domain of an address in its ASCII form, or null for a text that is not one plain address. */
const parseDomain = (address: string): string | null => {
  const domain = domainToASCII(addressPattern.exec(address)?.[1] ?? '');
  return domain === '' ? null : domain;
};

/** Returns the customer's address that the inbox's template gives for an item, or null. */
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

/** Returns the parts of `support@example.com` or `Support <support@example.com>`; null for any other text. */
export const parseSender = (from: string): ReplySender | null => {
  const named = /^([^<>\p{C}]*)<([^<>]*)>$/u.exec(from.trim());
  const address = (named?.[2] ?? from).trim();
  const domain = parseDomain(address);
  return domain === null ? null : { name: (named?.[1] ?? '').trim().replace(/^"(.*)"$/, '$1'), address, domain };
};
