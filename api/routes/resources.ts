/** The endpoints of resources and their records: search, lists, the page of one, its relations; and storing them, for apps. */
import type { Caller } from '../../shared/accounts/access/principal.ts';
import { blockSchema } from '../../shared/app/blocks/schema.ts';
import { itemSchema } from '../../shared/app/items/members.ts';
import type { ManifestResource } from '../../shared/app/manifest/manifest.ts';
import { recordEntrySchema } from '../../shared/items/schema.ts';
import { archivedMember } from '../../shared/platform/journal/pastEvents.ts';
import {
  archivedBeforeSchema,
  cursorSchema,
  nextCursorSchema,
  responseObject,
  strictObject,
  Type,
  type Static,
} from '../../shared/platform/json/schema.ts';
import { compileCheck } from '../../shared/platform/json/validate.ts';
import { parseFilterJson } from '../../shared/records/filters.ts';
import { parseRawRecord } from '../../shared/records/queries.ts';
import {
  listRawRecords,
  requireVisibleResource,
  searchRecords,
  type RawRecordsPage,
} from '../../shared/records/read.ts';
import type { PushedRecord } from '../../shared/records/recordProblems.ts';
import { readRelatedRecords, visibleRelations } from '../../shared/records/related.ts';
import {
  putRecordsEnvelope,
  putRecordsInput,
  recordListQuery,
  recordSchema,
  recordSearchQuery,
  recordsResponse,
  relatedQuery,
  resourceSchema,
} from '../../shared/records/schema.ts';
import { writeRecords } from '../../shared/records/write.ts';
import { availableActionSchema } from '../../shared/runs/schema.ts';
import { readRecordPage } from '../../shared/views/records/page.ts';
import { readEndpoint, writeEndpoint, type Endpoint, type EndpointCall } from '../endpoint.ts';
import { listResponse, pageQuerySchema, paginateByName } from './discovery.ts';

const tag = 'Records';
const exampleCustomer = { resource: 'customer', id: 'cus_1001' };

const presented = (caller: Caller, resource: ManifestResource) => ({
  name: resource.name,
  label: resource.label ?? resource.name,
  description: resource.description ?? null,
  source: resource.source,
  fields: (resource.fields ?? []).map(
    ({ name, label, description, type, currency, filter = false, sort = false, search = false }) => ({
      name,
      label: label ?? name,
      description: description ?? null,
      type: type ?? null,
      currency: currency ?? null,
      filter,
      sort,
      search,
    }),
  ),
  relations: visibleRelations(caller, resource).map(({ name, label, description, resource: target }) => ({
    name,
    label: label ?? name,
    description: description ?? null,
    resource: target ?? null,
  })),
});

const textOf = ({ env }: Caller, { records, cursor: next }: RawRecordsPage): string =>
  JSON.stringify({ records: records.map((record) => parseRawRecord(env.definition, record)), cursor: next });

const resources = readEndpoint({
  path: '/resources',
  name: 'resource.list',
  summary: 'The resources that you see, with their fields and relations',
  tag,
  query: strictObject(pageQuerySchema),
  responses: { 200: listResponse('resources', resourceSchema) },
  example: {},
  handle: async ({ caller, query }) => {
    const seen = [...caller.env.definition.resources.values()].filter(({ name }) =>
      caller.principal.access.sees('resource', name),
    );
    const { page, cursor: next } = paginateByName(caller, 'resources', seen, query);
    return { status: 200, body: { resources: page.map((resource) => presented(caller, resource)), cursor: next } };
  },
});

const search = readEndpoint({
  path: '/resources/:resource',
  name: 'record.search',
  summary: 'Search records, best match first',
  tag,
  query: recordSearchQuery,
  responses: { 200: recordsResponse },
  example: { params: { resource: exampleCustomer.resource }, query: { q: 'lind', limit: 10 } },
  handle: async ({ deps, caller, params, query }) => ({
    status: 200,
    body: textOf(caller, await searchRecords(deps, caller, params['resource'] ?? '', query)),
  }),
});

const browse = readEndpoint({
  path: '/resources/:resource/list',
  standby: true,
  name: 'record.list',
  summary: 'Browse records under filters, in any order',
  tag,
  query: recordListQuery,
  responses: { 200: recordsResponse },
  example: {
    params: { resource: exampleCustomer.resource },
    query: { filters: '{"plan":["Team","Business"],"seats":{"gte":5}}', sort: '-seats', limit: 10 },
  },
  handle: async ({ deps, caller, params, query: { filters, ...rest } }) => {
    const { name } = requireVisibleResource(caller, params['resource'] ?? '');
    return {
      status: 200,
      body: textOf(
        caller,
        await listRawRecords(deps, caller, name, {
          ...rest,
          ...(filters === undefined ? {} : { filters: parseFilterJson(filters) }),
        }),
      ),
    };
  },
});

const refOf = ({ params }: Pick<EndpointCall, 'params'>): { resource: string; id: string } => ({
  resource: params['resource'] ?? '',
  id: params['id'] ?? '',
});

const one = readEndpoint({
  path: '/resources/:resource/:id',
  name: 'record.get',
  summary: 'One record with its blocks, its newest items, what was done to it, and the actions that apply',
  tag,
  query: strictObject({ historyCursor: Type.Optional(cursorSchema) }),
  responses: {
    200: responseObject({
      record: recordSchema,
      blocks: Type.Array(blockSchema, { description: 'What the app shows of it.' }),
      items: Type.Array(itemSchema, { description: 'The newest 50 that are linked to it.' }),
      history: Type.Array(recordEntrySchema, { description: 'Newest first, 100 entries.' }),
      historyCursor: nextCursorSchema,
      archivedBefore: Type.Optional(archivedBeforeSchema),
      actions: Type.Array(availableActionSchema, { description: 'The actions that apply to it now.' }),
    }),
  },
  example: { params: exampleCustomer },
  handle: async (call) => {
    const page = await readRecordPage(call.deps, call.caller, refOf(call), call.query.historyCursor);
    const { record, blocks, items, history, actions } = page;
    const archived = archivedMember(call.deps.directory.past(), { next: history.cursor });
    const rest = JSON.stringify({ history: history.entries, historyCursor: history.cursor, ...archived, actions });
    return {
      status: 200,
      body: `{"record":${JSON.stringify(record)},"blocks":${JSON.stringify(blocks)},"items":[${items.join(',')}],${rest.slice(1)}`,
      items: true,
    };
  },
});

const related = readEndpoint({
  path: '/resources/:resource/:id/related/:relation',
  standby: true,
  name: 'record.related',
  summary: 'Records that one is related to',
  tag,
  query: relatedQuery,
  responses: { 200: recordsResponse },
  example: { params: { ...exampleCustomer, relation: 'orders' }, query: { limit: 10 } },
  handle: async (call) => ({
    status: 200,
    body: textOf(
      call.caller,
      await readRelatedRecords(call.deps, call.caller, refOf(call), call.params['relation'] ?? '', call.query),
    ),
  }),
});

const put = writeEndpoint<Static<typeof putRecordsEnvelope>>({
  path: '/resources/:resource/records',
  name: 'records.put',
  summary: 'Store and delete records of a stored resource (app key)',
  tag,
  allowsApp: true,
  takesReason: false,
  body: putRecordsInput,
  bodyOptional: true,
  responses: {
    200: responseObject({
      stored: Type.Integer({ description: 'How many are stored now as given.' }),
      deleted: Type.Integer({ description: 'How many were there and are gone.' }),
    }),
  },
  example: {
    params: { resource: exampleCustomer.resource },
    body: {
      records: [
        { id: 'cus_1001', title: 'Lindgren AB', subtitle: 'Team', fields: { email: 'ana@example.com', seats: 12 } },
      ],
      deleted: [],
    },
  },
  audit: { verb: 'records.put', target: ({ params }) => ({ type: 'resource', id: params['resource'] ?? null }) },
  check: compileCheck(putRecordsEnvelope),
  handle: async ({ deps, caller, params, body: { records = [], deleted = [] }, save }) => {
    const saved = save(200, JSON.stringify({ stored: records.length, deleted: 0 }));
    return {
      status: 200,
      body: JSON.stringify(
        await writeRecords(
          deps,
          caller,
          params['resource'] ?? '',
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `writeRecords` checks each
          { records: records as readonly PushedRecord[], deleted: deleted as readonly string[] },
          saved,
        ),
      ),
    };
  },
});

export const resourceEndpoints: readonly Endpoint[] = [resources, search, browse, one, related, put];
