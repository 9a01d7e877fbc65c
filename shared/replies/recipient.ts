/** Whom a reply by mail goes to, and what its author should know about that. For the endpoint of replies. */
import { type Caller, findVisibleInbox } from '../accounts/access/principal.ts';
import type { DomainDeps } from '../accounts/deps.ts';
import { readItems, type Item } from '../items/model.ts';
import { parseAddress, resolveCustomerAddress } from '../items/replyAddress.ts';
import { isObject } from '../platform/json/jsonLimits.ts';
import type { Warning } from '../platform/json/schema.ts';
import { placeholdersIn } from '../platform/words/markdown.ts';
import { findRecords } from '../records/queries.ts';

interface ReplyRecipient {
  /** null: the app sends the reply, and knows to whom. */
  readonly to: string | null;
  readonly warnings: readonly Warning[];
}

/** Names of record fields that hold an address, by habit of apps. */
const addressField = /^e[-_]?mail([-_]?address)?$/i;

const addressesIn = (fields: object): string[] =>
  Object.entries(fields).flatMap(([name, value]) => (addressField.test(name) ? (parseAddress(value) ?? []) : []));

/** Returns the addresses in the stored records that the item is about, as far as the caller sees them. */
const readLinkedAddresses = async (
  { db }: Pick<DomainDeps, 'db'>,
  { env, principal: { access } }: Caller,
  { record, links }: Item,
): Promise<readonly string[]> => {
  const refs = [...(record === null ? [] : [record]), ...links];
  const records = await findRecords(
    db,
    env.id,
    refs.filter(({ resource }) => access.sees('resource', resource)),
  );
  return records.flatMap(({ fields }) => addressesIn(fields));
};

const differs = (to: string, linked: readonly string[], begin = 'The reply goes to'): Warning[] => {
  const [first] = linked;
  if (first === undefined || linked.some((address) => address.toLowerCase() === to.toLowerCase())) return [];
  const message = `${begin} ${to}; the address of the linked record is ${first}.`;
  return [{ code: 'recipient_differs', message }];
};

/** Returns what is to be known where the app sends the reply, to an address that it chooses. */
const sentByApp = ({ fields }: Item, linked: readonly string[]): Warning[] => {
  const read: unknown = JSON.parse(fields);
  const [own] = isObject(read) ? addressesIn(read) : [];
  const said = own === undefined ? 'no address' : own;
  return [
    { code: 'sent_by_app', message: `The app chooses the recipient; the item has ${said}.` },
    ...(own === undefined ? [] : differs(own, linked, 'The item has the address')),
  ];
};

const unfilled = (texts: readonly string[]): Warning[] => {
  const places = placeholdersIn(...texts);
  if (places.length === 0) return [];
  return [
    { code: 'unfilled', message: `The reply has ${places.join(', ')}, which nothing fills in: it is sent as it is.` },
  ];
};

/** Returns what tells the recipient of a reply to an item, which the caller sees, as the item then is. `texts`: what is sent. */
export const prepareRecipient = async (
  deps: Pick<DomainDeps, 'db'>,
  caller: Caller,
  id: string,
  texts: readonly string[],
): Promise<(item: Item) => ReplyRecipient> => {
  const before = (await readItems(deps.db, caller.env.id, [id])).get(id);
  const { reply } = (before === undefined ? undefined : findVisibleInbox(caller, before.inbox)) ?? {};
  if (before === undefined || reply === undefined || reply === null) return () => ({ to: null, warnings: [] });
  const linked = await readLinkedAddresses(deps, caller, before);
  const written = unfilled(texts);
  return (item) => {
    if (reply.via === 'app') return { to: null, warnings: [...sentByApp(item, linked), ...written] };
    const to = resolveCustomerAddress(reply.to, item);
    return { to, warnings: [...(to === null ? [] : differs(to, linked)), ...written] };
  };
};
