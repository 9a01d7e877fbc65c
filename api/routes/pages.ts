/** The endpoints of the app's pages: the list, and one with its blocks. */
import { unknownName } from '../../shared/accounts/access/principal.ts';
import { blockSchema } from '../../shared/app/blocks/schema.ts';
import type { ManifestPage } from '../../shared/app/manifest/manifest.ts';
import { describedSchema, responseObject, strictObject, Type } from '../../shared/platform/json/schema.ts';
import { parsePageParams } from '../../shared/views/pages/context.ts';
import { buildPageBlocks } from '../../shared/views/pages/page.ts';
import { readEndpoint, type Endpoint } from '../endpoint.ts';
import { listResponse, pageQuerySchema, paginateByName } from './discovery.ts';

export const pageSchema = responseObject({
  name: Type.String({ description: 'Name.' }),
  label: Type.String({ description: 'Label.' }),
  description: describedSchema,
  params: Type.Array(
    responseObject({
      name: Type.String({ description: 'Name.' }),
      description: describedSchema,
      required: Type.Boolean({ description: 'Whether it must be given.' }),
    }),
    { description: 'What it takes in params.' },
  ),
});

const presented = ({ name, label, description, params = [] }: ManifestPage) => ({
  name,
  label: label ?? name,
  description: description ?? null,
  params: params.map((param) => ({
    name: param.name,
    description: param.description ?? null,
    required: param.required ?? false,
  })),
});

const list = readEndpoint({
  path: '/pages',
  name: 'page.list',
  summary: 'The pages that you see, with the parameters that they take',
  tag: 'Pages',
  query: strictObject(pageQuerySchema),
  responses: { 200: listResponse('pages', pageSchema) },
  example: {},
  handle: async ({ caller, query }) => {
    const seen = [...caller.env.definition.pages.values()]
      .filter((page) => caller.principal.access.sees('page', page.name))
      .map(presented);
    const { page, cursor } = paginateByName(caller, 'pages', seen, query);
    return { status: 200, body: { pages: page, cursor } };
  },
});

const one = readEndpoint({
  path: '/pages/:page',
  name: 'page.get',
  summary: 'One page with its blocks; one that fails is an error block, and the others still come',
  tag: 'Pages',
  query: strictObject({
    params: Type.Optional(Type.String({ description: 'A JSON object of texts, at most 8 KiB.' })),
  }),
  responses: {
    200: responseObject({
      page: pageSchema,
      blocks: Type.Array(blockSchema, { description: 'Its blocks, filled.' }),
      at: Type.Integer({ description: 'When it was made (milliseconds since 1970 UTC).' }),
    }),
  },
  example: { params: { page: 'customer' }, query: { params: '{"customer":"cus_1001"}' } },
  handle: async ({ deps, caller, params: { page: name = '' }, query }) => {
    const page = caller.env.definition.pages.get(name);
    const { access } = caller.principal;
    if (page === undefined || !access.sees('page', name)) {
      const known = [...caller.env.definition.pages.keys()].filter((one) => access.sees('page', one));
      throw unknownName('page', name, known);
    }
    const params = parsePageParams(page, query.params);
    const at = deps.clock.now();
    return {
      status: 200,
      body: { page: presented(page), blocks: await buildPageBlocks(deps, caller, { page, params }), at },
      items: true,
    };
  },
});

export const pageEndpoints: readonly Endpoint[] = [list, one];
