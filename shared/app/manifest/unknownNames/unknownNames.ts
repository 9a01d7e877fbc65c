/**
 * Finds names in a manifest that lead nowhere although the service takes it: paths of conditions and templates, fields of
 * relations, filters and columns. Each was declared so before, or may be filled by data that nothing declares, so that these
 * are warnings, as is what a schema or a comparison says in vain. Used by the SDK's command `check`.
 */
import type { FaultDetail } from '../../../catalogue/errors.ts';
import { didYouMean } from '../../../platform/words/nearestNames.ts';
import { emptyInput } from '../../link/declarationKeys.ts';
import type { Manifest, ManifestAction, ManifestInbox, ManifestResource } from '../manifest.ts';
import { problemsMax } from '../manifestProblems.ts';
import { orderedDates } from '../orderedTexts.ts';
import { conditionOf } from '../when.ts';
import { unknownActions, unknownInItemFilters, unknownInPage } from './pageNames.ts';
import { vainInSchema } from './schemaNames.ts';
import {
  type Shape,
  unknownInCondition,
  unknownInTemplates,
  unknownMembers,
  anyRecordShape,
  closedShape,
  itemShape,
  recordShape,
  schemaShape,
} from './shapes.ts';

const unknownField = (
  resource: ManifestResource | undefined,
  name: string | undefined,
  path: string,
): FaultDetail[] => {
  const names = (resource?.fields ?? []).map((field) => field.name);
  return resource === undefined || name === undefined || names.length === 0 || names.includes(name)
    ? []
    : [
        {
          path,
          message: `names the field ${name}, which ${resource.name} does not declare${didYouMean(name, names)}`,
        },
      ];
};

const unknownInResource = (resource: ManifestResource, path: string, manifest: Manifest): FaultDetail[] => [
  ...(resource.relations ?? []).flatMap(({ resource: name, field, key }, i) => {
    const at = `${path}.relations.${String(i)}`;
    const related = (manifest.resources ?? []).find((other) => other.name === name);
    return [...unknownField(resource, key, `${at}.key`), ...unknownField(related, field, `${at}.field`)];
  }),
  ...(resource.blocks ?? []).flatMap((block, i) => {
    const at = `${path}.blocks.${String(i)}`;
    return [
      ...unknownInTemplates(closedShape({ record: recordShape(resource) }), block, at),
      ...unknownActions(block, at, manifest),
    ];
  }),
];

const unknownInAction = (action: ManifestAction, path: string, { resources = [] }: Manifest): FaultDetail[] => {
  const resource = resources.find(({ name }) => name === action.resource);
  const vain = vainInSchema(action.input, `${path}.input`);
  if (resource === undefined && (action.resource ?? null) !== null) return vain;
  const subject = closedShape(resource === undefined ? {} : { record: recordShape(resource) });
  const condition = action.when === undefined ? undefined : conditionOf(action.when);
  const input = schemaShape(action.input ?? emptyInput);
  const record: Record<string, Shape> = resource === undefined ? {} : { record: recordShape(resource) };
  const asked = closedShape({ ...record, input });
  const at = condition === action.when ? `${path}.when` : `${path}.when.if`;
  const found = [
    ...unknownInCondition(asked, condition, at),
    ...unknownInTemplates(subject, action.defaults ?? {}, `${path}.defaults`),
  ];
  return [
    ...vain,
    ...orderedDates(condition, at, resource === undefined ? [] : [resource]),
    ...found.map((problem) =>
      resource === undefined && !problem.message.startsWith('names input.')
        ? { ...problem, message: 'reads a record, and the action takes none' }
        : problem,
    ),
    ...unknownMembers(schemaShape(action.input), action.defaults, `${path}.defaults`),
  ];
};

const unknownInInbox = (inbox: ManifestInbox, path: string, manifest: Manifest): FaultDetail[] => {
  const { resources = [], actions = [] } = manifest;
  const item = itemShape(schemaShape(inbox.fields));
  const subject = closedShape({ item, record: anyRecordShape(resources) });
  const { reply } = inbox;
  return [
    ...vainInSchema(inbox.fields, `${path}.fields`),
    ...(reply?.via === 'smtp'
      ? (['to', 'inReplyTo'] as const).flatMap((member) =>
          unknownInTemplates(
            closedShape({ item: closedShape({ id: null, fields: schemaShape(inbox.fields) }) }),
            reply[member] ?? '',
            `${path}.reply.${member}`,
          ),
        )
      : []),
    ...(inbox.triage?.rules ?? []).flatMap(({ when }, i) => {
      const at = `${path}.triage.rules.${String(i)}.when`;
      return [...unknownInCondition(subject, when, at), ...orderedDates(when, at, resources)];
    }),
    ...(inbox.suggest ?? []).flatMap(({ when, action: name, input }, i) => {
      const at = `${path}.suggest.${String(i)}`;
      const action = actions.find((one) => one.name === name);
      return [
        ...unknownInCondition(subject, when, `${at}.when`),
        ...orderedDates(when, `${at}.when`, resources),
        ...unknownInTemplates(subject, input ?? {}, `${at}.input`),
        ...(action === undefined ? [] : unknownMembers(schemaShape(action.input), input, `${at}.input`)),
      ];
    }),
    ...(inbox.blocks ?? []).flatMap((block, i) => {
      const at = `${path}.blocks.${String(i)}`;
      return [...unknownInTemplates(subject, block, at), ...unknownActions(block, at, manifest)];
    }),
  ];
};

/** Returns the names that lead nowhere, with their paths in the manifest. Its form has been checked. */
export const unknownNamesIn = (manifest: Manifest): readonly FaultDetail[] => {
  const { resources = [], inboxes = [], views = [], actions = [], pages = [] } = manifest;
  const each = <T>(kind: string, entries: readonly T[], look: (entry: T, path: string, m: Manifest) => FaultDetail[]) =>
    entries.flatMap((entry, i) => look(entry, `${kind}.${String(i)}`, manifest));
  return [
    ...each('resources', resources, unknownInResource),
    ...each('inboxes', inboxes, unknownInInbox),
    ...each('views', views, unknownInItemFilters),
    ...each('actions', actions, unknownInAction),
    ...each('pages', pages, unknownInPage),
  ].slice(0, problemsMax);
};
