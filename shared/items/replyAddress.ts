/**
 * Addresses of replies: the customer's, from the fields of an item, and the inbox's own. Each function returns one plain
 * address or null, so that no item can add a recipient or a header. Called by the operation reply, which refuses items
 * without an address, and by replies/.
 */
import { domainToASCII } from 'node:url';
import { fillTemplate } from '../platform/conditions/conditions.ts';
import type { Item } from './model.ts';

/** The name and the address of `Ana <ana@example.com>`. */
const namedPattern = /^([^<>\p{C}]*)<([^<>]*)>$/u;

const addressPattern = /^[^\s\p{C}@<>()[\]\\,;:"]{1,64}@([^\s\p{C}@<>()[\]\\,;:"]{1,255})$/u;

/** Returns the domain of an address in its ASCII form, or null for a text that is not one plain address. */
const parseDomain = (address: string): string | null => {
  const domain = domainToASCII(addressPattern.exec(address)?.[1] ?? '');
  return domain === '' ? null : domain;
};

/** Returns the one address that a value is; null for any other. A name before it is left out: the customer wrote it. */
export const parseAddress = (value: unknown): string | null => {
  const text = typeof value === 'string' ? value.trim() : '';
  const address = (namedPattern.exec(text)?.[2] ?? text).trim();
  return parseDomain(address) === null ? null : address;
};

/** Returns the customer's address that the inbox's template gives for an item, or null. */
export const resolveCustomerAddress = (template: string, { id, fields }: Pick<Item, 'id' | 'fields'>): string | null =>
  parseAddress(fillTemplate(template, { item: { id, fields: JSON.parse(fields) as unknown } }));

/** Visible ASCII signs alone, so that no header can follow. */
const messageIdPattern = /^<[!-;=?A-~]{1,125}@[!-;=?A-~]{1,125}>$/;
/** Message-IDs of one mail: a longer list would be a header that servers refuse. */
const messageIdsMax = 20;

/** Returns the Message-IDs in the texts that the inbox's template gives for an item, the newest last. */
export const resolveMessageIds = (template: string, { id, fields }: Pick<Item, 'id' | 'fields'>): readonly string[] => {
  const filled: unknown = fillTemplate(template, { item: { id, fields: JSON.parse(fields) as unknown } });
  const texts = [filled].flat().filter((text) => typeof text === 'string');
  return texts
    .flatMap((text) => (text.includes('<') ? (text.match(/<[^<>]{3,250}>/g) ?? []) : [`<${text.trim()}>`]))
    .filter((messageId) => messageIdPattern.test(messageId))
    .slice(-messageIdsMax);
};

export interface ReplySender {
  readonly name: string;
  readonly address: string;
  readonly domain: string;
}

/** Returns the parts of `support@example.com` or `Support <support@example.com>`; null for any other text. */
export const parseSender = (from: string): ReplySender | null => {
  const named = namedPattern.exec(from.trim());
  const address = (named?.[2] ?? from).trim();
  const domain = parseDomain(address);
  return domain === null ? null : { name: (named?.[1] ?? '').trim().replace(/^"(.*)"$/, '$1'), address, domain };
};
