/** Names what a call of the service is about, for the problems of its answer. Used by requestHandler.ts and link.ts. */
import { isObject } from './peer.ts';

/**
 * Returns the method of a call with what its params name.
 *
 * @example
 * callSubject('page.block', { page: 'sales', block: 2, params: {} }) // "page.block (page sales, block 2)"
 */
export const callSubject = (method: string, params: unknown): string => {
  const { action, run, page, block, resource, id, relation, item, refs } = isObject(params) ? params : {};
  const about = isObject(item) ? item : {};
  const asked = (Array.isArray(refs) ? refs : []).map((ref: unknown) => (isObject(ref) ? ref['resource'] : null));
  const parts = Object.entries({ action, run, page, block, resource, record: id, relation })
    .concat(
      [...new Set(asked)].map((one) => ['resource', one]),
      Object.entries({ inbox: about['inbox'], item: about['id'] }),
    )
    .flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [`${name} ${String(value)}`] : [],
    );
  return parts.length === 0 ? method : `${method} (${parts.join(', ')})`;
};
