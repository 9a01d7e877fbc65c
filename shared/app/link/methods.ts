/** What each call to an app does: those that only ask may go through another process, those that act go by a row. Used by redisLink.ts. */
import type { ServiceMethod } from './protocol.ts';

const methodKinds = {
  'action.run': 'acts',
  'action.available': 'asks',
  'records.search': 'asks',
  'records.list': 'asks',
  'records.get': 'asks',
  'records.related': 'asks',
  'page.block': 'asks',
  'item.blocks': 'asks',
  'record.blocks': 'asks',
  // Its answer is applied to an item that is not triaged yet, in PostgreSQL.
  'triage.answer': 'asks',
  'reply.send': 'acts',
} as const satisfies Readonly<Record<ServiceMethod, 'acts' | 'asks'>>;

/** A method that changes nothing in the app, so that it may be called twice or in vain. */
export type AskingMethod = {
  [M in ServiceMethod]: (typeof methodKinds)[M] extends 'asks' ? M : never;
}[ServiceMethod];

export const isAskingMethod = (method: string): method is AskingMethod =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `hasOwn` has found the method
  Object.hasOwn(methodKinds, method) && methodKinds[method as ServiceMethod] === 'asks';
