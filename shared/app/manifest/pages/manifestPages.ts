/** Checks a page of a manifest: its parameters and its blocks. Used by manifestProblems.ts. */
import type { FaultDetail } from '../../../catalogue/errors.ts';
import { isObject } from '../../../platform/json/jsonLimits.ts';
import { compileProblemCheck } from '../../../platform/json/validate.ts';
import { didYouMean } from '../../../platform/words/nearestNames.ts';
import { blockProblems, hasTemplates, templateProblems, type TemplateRoots } from '../../blocks/manifestBlocks.ts';
import { isBlockType } from '../../blocks/normalizeBlock.ts';
import type { ManifestPage } from '../manifest.ts';
import { getQueryCheck, splitLists, type BlockQuery } from './query.ts';
import { blockSources, columnsSchema, type BlockSource } from './schema.ts';

const checkColumns = compileProblemCheck(columnsSchema);

const isSource = (source: unknown): source is BlockSource => (blockSources as readonly unknown[]).includes(source);

/** Returns the problems of a block's query. A member with a template is not checked, as its value is known at the request. */
const queryProblems = (source: Exclude<BlockSource, 'app'>, block: BlockQuery, path: string): FaultDetail[] => {
  const check = getQueryCheck(source, String(block['type']));
  if (check === null) return [{ path: `${path}.source`, message: `makes no blocks of type ${String(block['type'])}` }];
  const query = block['query'] ?? {};
  if (typeof query !== 'object' || Array.isArray(query))
    return [{ path: `${path}.query`, message: 'must be an object' }];
  const filled = Object.entries(query)
    .filter(([, value]) => hasTemplates(value))
    .map(([member]) => member);
  const known = Object.fromEntries(
    Object.entries(query).map(([member, value]) => [
      member,
      typeof value === 'string' && filled.includes(member) ? 'x' : value,
    ]),
  );
  return check(splitLists(source, known), `${path}.query.`).filter(
    (problem) => !filled.some((member) => problem.path.startsWith(`${path}.query.${member}`)),
  );
};

const sourceProblems = (source: BlockSource, block: BlockQuery, path: string, roots: TemplateRoots): FaultDetail[] => [
  ...templateProblems(block, path, roots),
  ...(source === 'app' ? [] : queryProblems(source, block, path)),
  ...(block['columns'] === undefined || source === 'app' ? [] : checkColumns(block['columns'], `${path}.columns.`)),
];

/** Returns a problem for each undeclared name in the query. Names by template are known at the request. */
const namesProblems = (
  block: BlockQuery,
  path: string,
  known: {
    readonly inboxes: readonly string[];
    readonly resources: readonly string[];
    readonly views: readonly string[];
  },
): FaultDetail[] => {
  const query = isObject(block['query']) ? block['query'] : {};
  const named = [
    ['inbox', known.inboxes],
    ['resource', known.resources],
    ['view', known.views],
  ] as const;
  return named.flatMap(([kind, names]) => {
    const name = query[kind];
    return typeof name !== 'string' || hasTemplates(name) || names.includes(name)
      ? []
      : [
          {
            path: `${path}.query.${kind}`,
            message: `names the ${kind} ${name.slice(0, 100)}, which is not declared${didYouMean(name, names)}`,
          },
        ];
  });
};

/** Returns the problems of a page. */
export const pageProblems = (
  page: ManifestPage,
  path: string,
  known: Parameters<typeof namesProblems>[2],
): FaultDetail[] => {
  const params = (page.params ?? []).map(({ name }) => name);
  const roots = [...params.map((name) => `params.${name}`), 'params.<name> once the page declares it in params'];
  return [
    ...params.flatMap((name, i) =>
      params.indexOf(name) === i
        ? []
        : [{ path: `${path}.params.${String(i)}.name`, message: `declares ${name} a second time` }],
    ),
    ...page.blocks.flatMap((block: BlockQuery & { readonly type: string }, i): FaultDetail[] => {
      const at = `${path}.blocks.${String(i)}`;
      const source = block['source'];
      if (source === undefined) return blockProblems(block, at, roots);
      if (!isBlockType(block['type'])) return [{ path: `${at}.type`, message: 'is not a type of block' }];
      if (!isSource(source)) return [{ path: `${at}.source`, message: `must be one of ${blockSources.join(', ')}` }];
      return [...sourceProblems(source, block, at, roots), ...namesProblems(block, at, known)];
    }),
  ];
};
