/** The schemas that have a name in the documents, so that each stands there once and clients have a type of that name. Used by namedSchemas.ts. */
import {
  displayNameSchema,
  emailSchema,
  environmentsSchema,
  grantsInput,
  grantsSchema,
  modeSchema,
  ownSessionSchema,
  reach,
  roleRef,
  roleSchema,
} from '../../shared/accounts/schema.ts';
import type { Resource } from '../../shared/accounts/settings/resource.ts';
import { blockSchema, valueSchema, valueTypeSchema } from '../../shared/app/blocks/schema.ts';
import { claimSchema, itemSchema } from '../../shared/app/items/members.ts';
import { itemQueryJsonSchema } from '../../shared/app/manifest/itemQuery.ts';
import { approvalSchema, pendingResponse } from '../../shared/approvals/schema.ts';
import { acceptedBulkResponse, bulkResultSchema, bulkSchema } from '../../shared/bulk/schema.ts';
import { errors } from '../../shared/catalogue/errors.ts';
import { erasureCountsSchema, erasureSchema } from '../../shared/erasure/schema.ts';
import { flagHistorySchema, flagSchema, rampResponse } from '../../shared/flags/schema.ts';
import { recordReference } from '../../shared/items/links.ts';
import { occurrenceSchema } from '../../shared/items/occurrences/occurrences.ts';
import { savedViewPatch, savedViewSchema } from '../../shared/items/savedViews.ts';
import { changedItemResponse, entryDataOf, entrySchema, knewSchema } from '../../shared/items/schema.ts';
import { conditionSchema } from '../../shared/platform/conditions/conditionSchema.ts';
import {
  actorSchema,
  describedSchema,
  idSchema,
  nameSchema,
  nextCursorSchema,
  nullable,
  responseObject,
  tagSchema,
  timeSchema,
  Type,
  type TSchema,
} from '../../shared/platform/json/schema.ts';
import { recordSchema, recordsResponse, resourceSchema } from '../../shared/records/schema.ts';
import {
  acceptedRunResponse,
  actionSchema,
  availableActionSchema,
  runResultResponse,
  runSchema,
} from '../../shared/runs/schema.ts';
import { jobSchema, jobStateSchema } from '../../shared/views/jobs/schema.ts';
import { withReasonSchema } from '../http/requestBody.ts';
import { messageIdSchema, rpcErrorSchema } from '../http/rpcSchemas.ts';
import { auditEntrySchema } from '../routes/audit.ts';
import { inboxCounts } from '../routes/counts.ts';
import { inboxSchema, viewSchema } from '../routes/discovery.ts';
import { suggestedActionSchema } from '../routes/items.ts';
import { meSchema } from '../routes/me.ts';
import { pageSchema } from '../routes/pages.ts';
import { personSchema } from '../routes/people.ts';
import { settingsResources } from '../routes/settings.ts';

interface Component {
  readonly schema: TSchema;
  readonly description: string;
  /** Its members are the parameters of the same names, which say what they are. */
  readonly asParameters?: true;
}

const errorSchema = responseObject({
  error: Type.String({ description: 'A sentence for people.', examples: [errors.not_found.message] }),
  code: Type.String({
    enum: Object.keys(errors),
    examples: ['not_found'],
    description: 'What programs go by; later versions may have more.',
  }),
  details: Type.Optional(
    Type.Array(
      responseObject({
        path: Type.String({ description: 'The place in the request.' }),
        message: Type.String({ description: 'What is wrong there, and what it should be.' }),
      }),
      { description: 'Each place that is wrong, at most 20.' },
    ),
  ),
});

/** Returns the components that the row of a resource names. */
const componentsOf = ({ components: named, update }: Resource): (readonly [string, Component])[] =>
  Object.entries(named).map(([name, [schema, description]]) => [
    name,
    { schema: schema === update?.body ? withReasonSchema(schema) : schema, description },
  ]);

/** By name, in the order of the documents. */
export const components: Readonly<Record<string, Component>> = {
  Error: { schema: errorSchema, description: 'Why a request was refused.' },
  Cursor: { schema: nextCursorSchema, description: 'For the next page; null on the last.' },
  About: { schema: describedSchema, description: 'What it is, in the words of the app.' },
  Name: { schema: nameSchema(''), description: 'A name that the app declares.' },
  Time: { schema: timeSchema(''), description: 'A time.' },
  TimeOrNull: { schema: nullable(timeSchema('')), description: 'A time, or null.' },
  ItemId: { schema: idSchema('itm', ''), description: 'The item.' },
  RunId: { schema: idSchema('run', ''), description: 'The run.' },
  ApprovalId: { schema: idSchema('apr', ''), description: 'The approval.' },
  BulkId: { schema: idSchema('blk', ''), description: 'The bulk.' },
  Tag: { schema: tagSchema, description: 'A tag: 1 to 100 characters, no comma.' },
  Label: { schema: displayNameSchema, description: 'For people, on one line.' },
  Actor: { schema: actorSchema, description: 'Who did it.' },
  Me: { schema: meSchema, description: 'Who is asking, and what they may do.' },
  Inbox: { schema: inboxSchema, description: 'An inbox: what its items are like, and what you may do.' },
  InboxCounts: { schema: inboxCounts, description: 'How many items an inbox has.' },
  View: { schema: viewSchema, description: 'A named filter of items.' },
  ItemQuery: { schema: itemQueryJsonSchema, description: 'The filters of GET /items.', asParameters: true },
  SavedView: { schema: savedViewSchema, description: 'Filters under a name.' },
  SavedViewPatch: { schema: withReasonSchema(savedViewPatch), description: 'What is saved, or what changes.' },
  Person: { schema: personSchema, description: 'A person to assign items to.' },
  Item: { schema: itemSchema, description: 'An item: something to look at, with its history.' },
  Claim: { schema: claimSchema, description: 'Who works on an item, and until when.' },
  Knew: { schema: knewSchema, description: 'What the author of a change had read.' },
  ChangedItem: { schema: changedItemResponse, description: 'An item after a change.' },
  Entry: { schema: entrySchema, description: 'An entry of an item’s timeline.' },
  OccurredData: { schema: entryDataOf('occurred'), description: 'What an entry says of an occurrence.' },
  TriageData: { schema: entryDataOf('triage'), description: 'What an entry says of triage.' },
  EditedData: { schema: entryDataOf('edited'), description: 'What an entry says of what was put right.' },
  ReplyData: { schema: entryDataOf('reply'), description: 'What an entry says of a reply.' },
  ActionData: { schema: entryDataOf('action'), description: 'What an entry says of a run.' },
  ApprovalData: { schema: entryDataOf('approval'), description: 'What an entry says of an approval.' },
  Occurrence: { schema: occurrenceSchema, description: 'One report of an item.' },
  Record: { schema: recordSchema, description: 'A record of the app: a customer, an order.' },
  RecordReference: { schema: recordReference(''), description: 'A record.' },
  Records: { schema: recordsResponse, description: 'A page of records.' },
  Resource: { schema: resourceSchema, description: 'A kind of records.' },
  Action: { schema: actionSchema, description: 'Something that the app can do.' },
  AvailableAction: { schema: availableActionSchema, description: 'An action that applies now.' },
  Run: { schema: runSchema, description: 'One doing of an action.' },
  RunResult: { schema: runResultResponse, description: 'What a run brought.' },
  AcceptedRun: { schema: acceptedRunResponse, description: 'A run that goes on, and what it waits for.' },
  Approval: { schema: approvalSchema, description: 'A request that a person decides.' },
  Pending: { schema: pendingResponse, description: 'Nothing is done before a person has approved it.' },
  Bulk: { schema: bulkSchema, description: 'One change of many items.' },
  AcceptedBulk: { schema: acceptedBulkResponse, description: 'A bulk that goes on or waits for a person.' },
  BulkResult: { schema: bulkResultSchema, description: 'What became of one item of a bulk.' },
  Page: { schema: pageSchema, description: 'A page that the app declares.' },
  Block: {
    schema: blockSchema,
    description: 'A piece of a page; ignore types that you don’t know.',
  },
  FieldType: { schema: valueTypeSchema, description: 'How to show it.' },
  FieldValue: { schema: valueSchema, description: 'A time is in milliseconds; null: none.' },
  Flag: { schema: flagSchema, description: 'A feature flag.' },
  Ramp: { schema: rampResponse, description: 'A rollout that moves by itself.' },
  FlagEntry: { schema: flagHistorySchema, description: 'A change of a feature flag.' },
  RpcId: { schema: messageIdSchema, description: 'Of a request; without one it is a notification.' },
  RpcError: { schema: rpcErrorSchema, description: 'Why the message was refused.' },
  SuggestedAction: { schema: suggestedActionSchema, description: 'An action that may help.' },
  Condition: { schema: conditionSchema, description: 'A condition on a record, its attributes or an item.' },
  AuditEntry: { schema: auditEntrySchema, description: 'Something that was done or refused.' },
  Email: { schema: emailSchema, description: 'An e-mail address, in any case.' },
  Mode: {
    schema: modeSchema,
    description: 'normal; readonly: changes nothing; supervised: a person approves each change.',
  },
  RoleName: { schema: roleSchema, description: 'A role, by id or name.' },
  GivenEnvironments: {
    schema: environmentsSchema,
    description: 'Environments, or "*" alone for all.',
  },
  GivenGrants: { schema: grantsInput, description: 'What a role allows; nothing else is allowed.' },
  Grants: { schema: grantsSchema, description: 'What a role grants.' },
  RoleRef: { schema: roleRef, description: 'The role that they have.' },
  Texts: { schema: reach, description: 'A list of texts.' },
  ...Object.fromEntries(settingsResources.flatMap(componentsOf)),
  Session: { schema: ownSessionSchema, description: 'Where a person is signed in.' },
  Erasure: { schema: erasureSchema, description: 'The removal of what identifies a person.' },
  Counts: { schema: erasureCountsSchema, description: 'How many of each.' },
  JobState: {
    schema: jobStateSchema,
    description: 'inLine: behind others of its record; parked: the app is offline; failed: given up.',
  },
  Job: { schema: jobSchema, description: 'Work that is done in the background.' },
};
