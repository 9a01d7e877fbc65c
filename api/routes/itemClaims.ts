/** Endpoints by which somebody claims items, renews a claim and gives it back. A claim is no change: it needs no approval and is not audited. */
import { itemSchema } from '../../shared/app/items/members.ts';
import { itemListQuery, itemQueryJsonSchema } from '../../shared/app/manifest/itemQuery.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { claimItem, releaseItem } from '../../shared/items/perform/claim.ts';
import { claimNextItems, type ClaimedItems } from '../../shared/items/perform/claimNext.ts';
import { itemEtag, itemJson } from '../../shared/items/present.ts';
import { changedItemResponse } from '../../shared/items/schema.ts';
import { nullable, responseObject, strictObject, Type } from '../../shared/platform/json/schema.ts';
import { compileCheck } from '../../shared/platform/json/validate.ts';
import { writeEndpoint, type Endpoint, type EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';

const exampleItem = 'itm_01jd0000000000000000000000';
const { claimLeaseMs, claimLeaseMinMs, claimLeaseMaxMs, claimCount } = limits;

const lease = Type.Optional(
  Type.Integer({
    minimum: claimLeaseMinMs,
    maximum: claimLeaseMaxMs,
    description: `How long the claim lasts, in milliseconds: 10 s to 1 h, ${String(claimLeaseMs / 60_000)} min when absent.`,
  }),
);

const nextBody = strictObject({
  query: Type.Optional(itemQueryJsonSchema),
  sort: Type.Optional({
    ...itemListQuery.properties.sort,
    description: 'An order of lists; absent: priority, then due, then the oldest activity.',
  }),
  lease,
  count: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: claimCount,
      description: `Items at most, 1 to ${String(claimCount)}; 1 when absent.`,
    }),
  ),
});
const oneBody = strictObject({
  lease,
  takeOver: Type.Optional(Type.Boolean({ description: 'true: take it from whoever works on it; for persons.' })),
});
const noBody = strictObject({});

const checkNext = compileCheck(nextBody);
const checkOne = compileCheck(oneBody);
const checkNo = compileCheck(noBody);

/** The members that all endpoints of claims share. A claim has no audit entry, no reason and no approval. */
const claiming = { tag: 'Items', bodyOptional: true, audit: null, reads: false, foreground: true } as const;

const claimNext = writeEndpoint({
  ...claiming,
  path: '/items/claim',
  name: 'item.claimNext',
  summary: 'Claim the next items to work on: nobody else gets them before the claim ends',
  body: nextBody,
  responses: {
    200: responseObject({
      items: Type.Array(itemSchema, {
        description: 'The claimed items, the first to do first; empty: there is nothing.',
      }),
      until: nullable(
        Type.Integer({ description: 'When the claims end (milliseconds since 1970 UTC); null: nothing is claimed.' }),
      ),
    }),
  },
  example: { body: { query: { inbox: 'support' }, lease: claimLeaseMs } },
  check: checkNext,
  handle: async ({ deps, caller, body, save }): Promise<ApiResponse> => {
    const { query = {}, sort, lease: ms = claimLeaseMs, count = 1 } = body;
    const { access } = caller.principal;
    const bodyOf = ({ items, until }: ClaimedItems): string =>
      `{"items":[${items.map((item) => itemJson(item, access)).join(',')}],"until":${items.length === 0 ? 'null' : String(until)}}`;
    const claimed = await claimNextItems(deps, caller, { query, sort, count, lease: ms }, (found) =>
      save(200, bodyOf(found)),
    );
    return { status: 200, body: bodyOf(claimed), items: true };
  },
});

type Claimed = Awaited<ReturnType<typeof claimItem>>;

/** Returns the response with the item as `run` leaves it. */
const respond = async (
  { caller, save }: EndpointCall,
  run: (kept: (claimed: Claimed) => ReturnType<EndpointCall['save']>) => Promise<Claimed>,
): Promise<ApiResponse> => {
  const bodyOf = ({ item, changed }: Claimed): string =>
    `{"item":${itemJson(item, caller.principal.access)},"changed":${String(changed)}}`;
  const claimed = await run((found) => save(200, bodyOf(found), itemEtag(found.item)));
  return { status: 200, body: bodyOf(claimed), etag: itemEtag(claimed.item), items: true };
};

const claimOne = writeEndpoint({
  ...claiming,
  path: '/items/:id/claim',
  about: 'item',
  name: 'item.claim',
  summary: 'Claim an item, or renew your claim',
  body: oneBody,
  responses: { 200: changedItemResponse },
  example: { params: { id: exampleItem }, body: { lease: claimLeaseMs } },
  check: checkOne,
  handle: (call) => {
    const { deps, caller, params, body } = call;
    const wanted = { id: params['id'] ?? '', lease: body.lease ?? claimLeaseMs, takeOver: body.takeOver ?? false };
    return respond(call, (kept) => claimItem(deps, caller, wanted, kept));
  },
});

const release = writeEndpoint({
  ...claiming,
  path: '/items/:id/release',
  about: 'item',
  name: 'item.release',
  summary: 'Give back your claim of an item, so that another can take it',
  body: noBody,
  responses: { 200: changedItemResponse },
  example: { params: { id: exampleItem }, body: {} },
  check: checkNo,
  handle: (call) => respond(call, (kept) => releaseItem(call.deps, call.caller, call.params['id'] ?? '', kept)),
});

export const itemClaimEndpoints: readonly Endpoint[] = [claimNext, claimOne, release];
