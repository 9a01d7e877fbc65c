/** The queries of addresses as people write them: no quotes around texts. Used by the router. */

export const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text));

export const stringifySearch = (search: Readonly<Record<string, unknown>>): string => {
  const pairs = Object.entries(search).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString().replaceAll('%2C', ',')}`;
};

/** The parameters of a page stand in the address by their own names. */
export const readParams = (raw: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(raw).flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])));
