/**
 * Checks what the schema of manifests can't express: names that refer to each other, conditions, templates and blocks.
 * manifestSchemas.ts checks the JSON Schemas inside. Used by readManifest.ts and the definition of environments.
 */
import type { FaultDetail } from '../../catalogue/errors.ts';
import { didYouMean } from '../../platform/words/nearestNames.ts';
import { blockProblems, templateProblems } from '../blocks/manifestBlocks.ts';
import { fieldCurrencyProblems, formProblems } from './formKeywords.ts';
import { duplicateNames, inboxNames, inboxProblems } from './inboxProblems.ts';
import type { ManifestAction, ManifestFlag, ManifestInbox, ManifestResource, ManifestView } from './manifest.ts';
import { numericRecordFields } from './orderedTexts.ts';
import { pageProblems } from './pages/manifestPages.ts';
import { getQueryCheck, splitLists } from './pages/query.ts';
import type { ValidManifestParts } from './validManifestParts.ts';
import { whenProblems } from './when.ts';

/** Problems of one manifest that are reported: nobody reads more at once. */
export const problemsMax = 200;

/** Returns a problem when `name` refers to something that is not declared. */
const undeclaredProblems = (
  kind: string,
  names: ReadonlySet<string>,
  name: string | null | undefined,
  path: string,
): FaultDetail[] =>
  name === undefined || name === null || names.has(name)
    ? []
    : [{ path, message: `names the ${kind} ${name.slice(0, 100)}, which is not declared${didYouMean(name, names)}` }];

const resourceProblems = (resource: ManifestResource, path: string, resources: ReadonlySet<string>): FaultDetail[] => [
  ...duplicateNames(
    (resource.fields ?? []).map((field) => field.name),
    `${path}.fields`,
  ),
  ...fieldCurrencyProblems(resource, path),
  ...duplicateNames(
    (resource.relations ?? []).map((relation) => relation.name),
    `${path}.relations`,
  ),
  ...(resource.relations ?? []).flatMap((relation, i) => {
    const at = `${path}.relations.${String(i)}`;
    const { field, key } = relation;
    if (field !== undefined && key !== undefined)
      return [{ path: `${at}.key`, message: 'can’t be there together with field' }];
    if (field === undefined && key === undefined && resource.source !== 'app')
      return [{ path: at, message: 'needs field or key, as the resource’s source is stored' }];
    if ((field ?? key) !== undefined && relation.resource === undefined)
      return [{ path: `${at}.resource`, message: 'is required with field or key' }];
    return undeclaredProblems('resource', resources, relation.resource, `${at}.resource`);
  }),
  ...(resource.blocks ?? []).flatMap((block, i) => blockProblems(block, `${path}.blocks.${String(i)}`, ['record'])),
];

/** Returns the problems of an action's defaults, which have to be members of its input. */
const defaultsProblems = ({ defaults = {}, input }: ManifestAction, path: string): FaultDetail[] => {
  const schema = (input ?? {}) as { readonly properties?: unknown; readonly additionalProperties?: unknown };
  const properties: object =
    typeof schema.properties === 'object' && schema.properties !== null ? schema.properties : {};
  const isClosed = input === undefined || schema.additionalProperties === false;
  return [
    ...templateProblems(defaults, path, ['record']),
    ...Object.keys(defaults).flatMap((member) =>
      isClosed && !Object.hasOwn(properties, member)
        ? [{ path: `${path}.${member}`, message: 'is not a member of the action’s input' }]
        : [],
    ),
  ];
};

/** Returns the problems of `stale`, which names fields that the action's resource declares. */
const staleProblems = (
  { stale = [], resource: name }: ManifestAction,
  path: string,
  resources: readonly ManifestResource[],
): FaultDetail[] => {
  const { fields = [] } = resources.find((resource) => resource.name === name) ?? {};
  const declared = new Set(fields.map((field) => field.name));
  return (name ?? null) === null && stale.length > 0
    ? [{ path, message: 'names fields of a record, and the action takes none' }]
    : stale.flatMap((field, i) =>
        fields.length === 0 ? [] : undeclaredProblems('field', declared, field, `${path}.${String(i)}`),
      );
};

const actionProblems = (
  action: ManifestAction,
  path: string,
  resources: readonly ManifestResource[],
): FaultDetail[] => [
  ...undeclaredProblems('resource', new Set(resources.map(({ name }) => name)), action.resource, `${path}.resource`),
  ...(action.when === undefined
    ? []
    : whenProblems(
        action.when,
        `${path}.when`,
        numericRecordFields(resources.filter(({ name }) => name === action.resource)),
      )),
  ...staleProblems(action, `${path}.stale`, resources),
  ...defaultsProblems(action, `${path}.defaults`),
  ...formProblems(action.input, `${path}.input`, {
    resources: resources.map(({ name }) => name),
    fields: resources.find(({ name }) => name === action.resource)?.fields?.map(({ name }) => name) ?? [],
  }),
];

/** Returns the names of one inbox, or of all, that a filter may have; null: not known, as the form of one is invalid. */
type InboxNames = (
  namesOf: (inbox: ManifestInbox) => readonly string[],
  inbox: string | undefined,
) => readonly string[] | null;

const viewProblems = (
  { name: _, label: _label, description: _description, ...filters }: ManifestView,
  path: string,
  known: { readonly inboxes: ReadonlySet<string>; readonly namesOfInboxes: InboxNames },
): FaultDetail[] => {
  const query = splitLists('items', filters);
  return [
    ...undeclaredProblems('inbox', known.inboxes, filters.inbox, `${path}.inbox`),
    ...(getQueryCheck('items', 'items')?.(query, `${path}.`) ?? []),
    ...[...inboxNames].flatMap(([filter, namesOf]) => {
      const names = known.namesOfInboxes(namesOf, filters.inbox);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `splitLists` has made a list of the text that the schema requires
      const given = (query[filter] ?? []) as string[];
      return names === null
        ? []
        : given.flatMap((name) => undeclaredProblems(filter, new Set(names), name, `${path}.${filter}`));
    }),
  ];
};

const flagProblems = (flag: ManifestFlag, path: string, resources: ReadonlySet<string>): FaultDetail[] => [
  ...(flag.kind === 'json' || typeof flag.default === flag.kind
    ? []
    : [{ path: `${path}.default`, message: `must be a ${flag.kind}` }]),
  ...undeclaredProblems('resource', resources, flag.resource, `${path}.resource`),
];

/** Returns the problems of a manifest beyond its form and its schemas. Of entries in `invalidPaths` only the names are known. */
export const crossReferenceProblems = ({ manifest, invalidPaths: unsound }: ValidManifestParts): FaultDetail[] => {
  const { resources = [], inboxes = [], views = [], actions = [], pages = [], flags = [] } = manifest;
  const names = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name);
  const known = { inboxes: names(inboxes), resources: names(resources), views: names(views) };
  const resourceNames = new Set(known.resources);
  const declaredInboxes = new Set(known.inboxes);
  const each = <T>(list: readonly T[], kind: string, look: (entry: T, path: string) => FaultDetail[]): FaultDetail[] =>
    list.flatMap((entry, i) => (unsound.has(`${kind}.${String(i)}`) ? [] : look(entry, `${kind}.${String(i)}`)));
  const namesOfInboxes: InboxNames = (namesOf, name) => {
    const meant = inboxes.flatMap((inbox, i) =>
      name === undefined || inbox.name === name ? [{ inbox, place: `inboxes.${String(i)}` }] : [],
    );
    return meant.some(({ place }) => unsound.has(place)) ? null : meant.flatMap(({ inbox }) => namesOf(inbox));
  };
  return [
    ...duplicateNames(known.resources, 'resources'),
    ...duplicateNames(known.inboxes, 'inboxes'),
    ...duplicateNames(known.views, 'views'),
    ...duplicateNames(names(actions), 'actions'),
    ...duplicateNames(names(pages), 'pages'),
    ...duplicateNames(
      flags.map(({ key }) => key),
      'flags',
    ),
    ...each(resources, 'resources', (resource, path) => resourceProblems(resource, path, resourceNames)),
    ...each(inboxes, 'inboxes', (inbox, path) => inboxProblems(inbox, path, manifest)),
    ...each(views, 'views', (view, path) => viewProblems(view, path, { inboxes: declaredInboxes, namesOfInboxes })),
    ...each(actions, 'actions', (action, path) => actionProblems(action, path, resources)),
    ...each(pages, 'pages', (page, path) => pageProblems(page, path, known)),
    ...each(flags, 'flags', (flag, path) => flagProblems(flag, path, resourceNames)),
  ].slice(0, problemsMax);
};
