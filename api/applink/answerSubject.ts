/** Names what a call to the app was about, for the notification `app.problem`, which comes without the call. Used by session.ts. */
import type { ServiceCalls, ServiceMethod, ServiceNotifications } from '../../shared/applink/protocol.ts';

type Subject = NonNullable<ServiceNotifications['app.problem']['about']>;
type Params<M extends ServiceMethod> = ServiceCalls[M]['params'];

const itemSubject = ({ item: { inbox, id } }: { readonly item: Params<'triage.answer'>['item'] }): Subject => ({
  inbox: String(inbox),
  item: String(id),
});
const resourceSubject = ({ resource }: { readonly resource: string }): Subject => ({ resource });

const subjects: { readonly [M in ServiceMethod]: (params: Params<M>) => Subject } = {
  'action.run': ({ run, action }) => ({ run, action }),
  'action.available': ({ refs: [first] }) => (first === undefined ? {} : resourceSubject(first)),
  'records.search': resourceSubject,
  'records.list': resourceSubject,
  'records.get': ({ resource, ids: [id, ...others] }) => ({
    resource,
    ...(id === undefined || others.length > 0 ? {} : { record: id }),
  }),
  'records.related': ({ resource, id, relation }) => ({ resource, record: id, relation }),
  'page.block': ({ page, block }) => ({ page, block }),
  'item.blocks': itemSubject,
  'record.blocks': ({ resource, id }) => ({ resource, record: id }),
  'triage.answer': itemSubject,
  'reply.send': ({ delivery, ...others }) => ({ ...itemSubject(others), delivery }),
};

/** Returns what a call was about. `params`: the JSON text that the service has sent. */
export const answerSubject = <M extends ServiceMethod>(method: M, params: string): Subject =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the params that the service has sent
  subjects[method](JSON.parse(params) as Params<M>);
