/** What is wrong with a page of a manifest: its parameters, and blocks whose source can't make them. */
import type { Detail } from '../../catalogue/errors.ts';
import { blockProblems, hasTemplates, templateProblems, type Roots } from '../../blocks/form.ts';
import { isBlockType } from '../../blocks/shape.ts';
import { ownProblemsOf } from '../../platform/core/validate.ts';
import type { ManifestPage } from '../manifest.ts';
import { queryCheck, splitLists, type Query } from './query.ts';
import { columnsSchema, sources, type Source } from './schema.ts';

const checkColumns = ownProblemsOf(columnsSchema);

const isSource = (source: unknown): source is Source => (sources as readonly unknown[]).includes(source);

/** A member with a template has its value only when the page is asked for. */
const queryProblems = (source: Exclude<Source, 'app'>, block: Query, path: string): Detail[] => {
  const check = queryCheck(source, String(block['type']));
  if (check === null) return [{ path: `${path}.source`, message: `makes no blocks of type ${String(block['type'])}` }];
  const query = block['query'] ?? {};
  if (typeof query !== 'object' || Array.isArray(query)) return [{ path: `${path}.query`, message: 'must be an object' }];
  const filled = Object.entries(query).filter(([, value]) => hasTemplates(value)).map(([member]) => member);
  const known = Object.fromEntries(Object.entries(query).map(([member, value]) => [member, typeof value === 'string' && filled.includes(member) ? 'x' : value]));
  return check(splitLists(source, known), `${path}.query.`).filter((problem) => !filled.some((member) => problem.path.startsWith(`${path}.query.${member}`)));
};

const sourced = (source: Source, block: Query, path: string, roots: Roots): Detail[] => [
  ...templateProblems(block, path, roots),
  ...(source === 'app' ? [] : queryProblems(source, block, path)),
  ...(block['columns'] === undefined || source === 'app' ? [] : checkColumns(block['columns'], `${path}.columns.`)),
];

/** What the query names has to be declared; what a template names shows when the page is asked for. */
const namesProblems = (block: Query, path: string, known: { readonly inboxes: readonly string[]; readonly resources: readonly string[]; readonly views: readonly string[] }): Detail[] => {
  const query = (block['query'] ?? {}) as Query;
  const named = [['inbox', known.inboxes], ['resource', known.resources], ['view', known.views]] as const;
  return named.flatMap(([kind, names]) => {
    const name = query[kind];
    return typeof name !== 'string' || hasTemplates(name) || names.includes(name) ? [] : [{ path: `${path}.query.${kind}`, message: `names the ${kind} ${name.slice(0, 100)}, which is not declared` }];
  });
};

/** Every problem of a page. */
export const pageProblems = (page: ManifestPage, path: string, known: Parameters<typeof namesProblems>[2]): Detail[] => {
  const params = (page.params ?? []).map(({ name }) => name);
  const roots = params.map((name) => `params.${name}`);
  return [
    ...params.flatMap((name, i) => (params.indexOf(name) === i ? [] : [{ path: `${path}.params.${String(i)}.name`, message: `declares ${name} a second time` }])),
    ...page.blocks.flatMap((block: Query, i): Detail[] => {
      const at = `${path}.blocks.${String(i)}`;
      const source = block['source'];
      if (source === undefined) return blockProblems(block as Query & { type: string }, at, roots);
      if (!isBlockType(block['type'])) return [{ path: `${at}.type`, message: 'is not a type of block' }];
      if (!isSource(source)) return [{ path: `${at}.source`, message: `must be one of ${sources.join(', ')}` }];
      return [...sourced(source, block, at, roots), ...namesProblems(block, at, known)];
    }),
  ];
};
