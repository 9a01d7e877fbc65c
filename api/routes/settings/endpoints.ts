/** The endpoints of the settings resources, and their texts in the documents, made from their rows. Used by ../settings.ts and api/documents. */
import { listCursors } from '../../../shared/accounts/access/listCursors.ts';
import type { OwnVerb, Resource, ResourceCall, ResourcePlace } from '../../../shared/accounts/settings/resource.ts';
import { limits } from '../../../shared/catalogue/limits.ts';
import { responseObject, strictObject, type TObject, type TSchema } from '../../../shared/platform/json/schema.ts';
import { compileCheck } from '../../../shared/platform/json/validate.ts';
import { readEndpoint, type Endpoint, type EndpointCall } from '../../endpoint.ts';
import { listResponse, pageQuerySchema, paginateByName } from '../discovery.ts';
import {
  requireManager,
  runSettingsChange,
  settingsTag,
  settingsWriteEndpoint,
  type SettingsResult,
} from './manage.ts';

const placeOf = ({ deps, caller: { env, principal } }: Pick<EndpointCall, 'deps' | 'caller'>): ResourcePlace => ({
  db: deps.db,
  config: deps.config,
  envId: env.id,
  here: env.name,
  reach: principal.environments,
});

interface PageQuery extends Readonly<Record<string, unknown>> {
  readonly cursor?: string;
  readonly limit?: number;
}

const listEndpoint = ({ path, plural, view, list }: Resource): Endpoint =>
  readEndpoint({
    path,
    name: `settings.${plural}`,
    summary: list.summary,
    tag: settingsTag,
    query: strictObject({ ...('filters' in list ? list.filters : {}), ...pageQuerySchema }),
    responses: { 200: listResponse(plural, view) },
    example: 'filters' in list ? { query: list.example } : {},
    authorize: requireManager,
    handle: async (call) => {
      const { caller, query } = call;
      if ('find' in list) {
        const { page, cursor } = paginateByName(caller, path, await list.find(placeOf(call)), query);
        return { status: 200, body: { [plural]: page, cursor } };
      }
      const { cursor: given, limit = limits.pageDefault, ...filters }: PageQuery = query;
      const cursors = listCursors(
        caller,
        plural,
        Object.keys(list.filters).map((name) => filters[name]),
      );
      const keys = cursors.open(given);
      const after = keys === null ? null : String(keys[0]);
      const { page, next } = await list.findPage(placeOf(call), { filters, after, limit });
      return { status: 200, body: { [plural]: page, cursor: cursors.next(next === null ? null : [next]) } };
    },
  });

/** A change of a resource with what its endpoint needs beside it. */
interface Change extends Omit<OwnVerb, 'status'> {
  readonly name: string;
  readonly method: 'post' | 'patch' | 'delete';
  /** Behind the path of the resource. */
  readonly below: string;
  readonly body: TObject;
  readonly bodyOptional: boolean;
  readonly status: 200 | 201 | 204;
  readonly response: TSchema | null;
}

const noBody = strictObject({});

const changesOf = ({ type, key = 'id', view, create, update, end, own = {} }: Resource): readonly Change[] => {
  const answer = (members = {}): TSchema => responseObject({ [type]: view, ...members });
  const one = `/:${key}`;
  const changes: Change[] = Object.entries(own).map(([name, { body = noBody, ...verb }]) => {
    const response = answer(verb.answers);
    return { ...verb, name, method: 'post', below: `${one}/${name}`, body, bodyOptional: true, response };
  });
  if (create !== undefined) {
    const response = answer(create.answers);
    changes.push({ ...create, name: 'create', method: 'post', below: '', bodyOptional: false, status: 201, response });
  }
  if (update !== undefined) {
    const response = answer(update.answers);
    changes.push({
      ...update,
      name: 'update',
      method: 'patch',
      below: one,
      bodyOptional: false,
      status: 200,
      response,
    });
  }
  if (end !== undefined) {
    const response = end.answers === undefined ? null : responseObject(end.answers);
    const status = response === null ? 204 : 200;
    const body = { body: noBody, bodyOptional: true };
    changes.push({ ...end, ...body, name: end.verb, method: 'delete', below: one, status, response });
  }
  return changes;
};

/** Returns what a verb returned, with what is told once apart. */
const resultOf = ({ status, once = [] }: Change, answer: object | void): SettingsResult => {
  if (status === 204 || answer === undefined) return { status: 204 };
  const told = Object.entries(answer).filter(([name, value]) => once.includes(name) && value !== null);
  if (told.length === 0) return { status, body: answer };
  const rest = Object.entries(answer).filter(([name]) => !told.some(([other]) => other === name));
  return { status, body: Object.fromEntries(rest), once: Object.fromEntries(told) };
};

const changeEndpoint = ({ path, type, key = 'id', exampleId }: Resource, change: Change): Endpoint => {
  const { name, method, below, summary, fresh, body, bodyOptional, status, response, example = {} } = change;
  const params = below === '' ? {} : { params: { [key]: change.exampleId ?? exampleId } };
  return settingsWriteEndpoint({
    method,
    path: `${path}${below}`,
    name: `${type}.${name}`,
    summary,
    fresh,
    body,
    bodyOptional,
    responses: { [status]: response },
    example: { ...params, body: example },
    audit: { verb: `${type}.${name}`, target: (call) => ({ type, id: call.params[key] ?? null }) },
    check: compileCheck(body),
    handle: async (call) => {
      const { caller, params: named } = call;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of the verb has checked the body
      const given = {
        ...placeOf(call),
        caller: caller.principal.id ?? '',
        id: named[key] ?? '',
        body: call.body,
      } as ResourceCall<never>;
      const prepared = change.prepare === undefined ? given.body : await change.prepare(given);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the verb itself has made what it takes
      const ready = { ...given, body: prepared as never };
      return runSettingsChange(call, async (tx, admin) => resultOf(change, await change.run(tx, admin, ready)));
    },
  });
};

export const resourceEndpoints = (resource: Resource): readonly Endpoint[] => [
  listEndpoint(resource),
  ...changesOf(resource).map((change) => changeEndpoint(resource, change)),
];

interface Text {
  readonly id: string;
  readonly description: string;
}

/** Returns the texts of the operations of a resource, by the names of its endpoints. */
export const resourceTexts = (resource: Resource): readonly (readonly [name: string, Text])[] => [
  [`settings.${resource.plural}`, resource.list],
  ...changesOf(resource).map((change) => [`${resource.type}.${change.name}`, change] as const),
];

/** Returns the noun of a resource, by the prefix of its ids. */
export const resourceNoun = ({ type, exampleId }: Resource): readonly [prefix: string, noun: string] => [
  exampleId.slice(0, exampleId.indexOf('_')),
  type.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
];
