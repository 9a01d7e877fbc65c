/** The law of the members of items: each is a row of one table, and no step of it is missing. A failing line contains what to do. */
import { expect } from 'chai';
import {
  columnsOf,
  editedNames,
  itemMembers,
  itemSorts,
  memberNames,
  otherItemColumns,
  type ItemSort,
} from '../../shared/app/items/members.ts';
import { itemListQuery } from '../../shared/app/manifest/itemQuery.ts';
import { unfiltered } from '../../shared/items/list/request.ts';
import { itemStreams, streamsForSort, type ItemStream } from '../../shared/items/list/streams.ts';
import { files, textOf } from './source.ts';

const table = 'shared/app/items/members.ts';
const migrations = files.filter((file) => file.startsWith('migrations/')).map((file) => ({ file, text: textOf(file) }));
const sources = files
  .filter((file) => /^(api|workers|shared)\//.test(file))
  .map((file) => ({ file, text: textOf(file) }));

/** The columns that migrations give `items`. */
const migratedColumns = (): string[] => {
  const created = migrations.map(({ text }) => /create table items \((.*?)\n {4}\)/s.exec(text)?.[1] ?? '').join('');
  const first = [...created.matchAll(/^ {6}(?!primary key)(\w+) /gm)].map(([, name = '']) => name);
  const added = migrations.flatMap(({ text }) =>
    [...text.matchAll(/alter table items add column (?:if not exists )?(\w+)/g)].map(([, name = '']) => name),
  );
  return [...first, ...added];
};

/** The columns of each index of `items`. */
const indexes = migrations.flatMap(({ text }) =>
  [...text.matchAll(/create (?:unique )?index (?:concurrently )?(?:if not exists )?\w+ on items \(([^)]*)\)/g)].map(
    ([, columns = '']) => columns.split(', ').map((column) => column.replace(/ desc$/, '')),
  ),
);

/** Parameters of lists that filter by no member. */
const ofNoMember = ['view', 'sort', 'cursor', 'limit', 'count'];

describe('law: members of items', () => {
  const columns = memberNames.flatMap((name) => columnsOf(name).map((column) => column.name));

  it('every column of items is in the table, and the table names no other', () => {
    const known = [...columns, ...otherItemColumns];
    const stored = migratedColumns();
    expect(stored.length).to.be.above(25);
    const problems = [
      ...stored
        .filter((name) => !known.includes(name))
        .map((name) => `items.${name} is no member: give it a row in ${table}`),
      ...known
        .filter((name) => !stored.includes(name))
        .map((name) => `items.${name} of ${table} does not exist: add it by a migration`),
    ];
    expect(problems, problems.join('\n')).to.deep.equal([]);
  });

  it('every filter is a parameter of lists, and every parameter is of a member', () => {
    const parameters = Object.keys(itemListQuery.properties);
    const filters = memberNames.flatMap((name) => itemMembers[name].filters.map((filter) => ({ name, filter })));
    const problems = [
      ...filters
        .filter(({ filter }) => !parameters.includes(filter))
        .map(({ name, filter }) => `${name} is filtered by ${filter}, which shared/app/manifest/itemQuery.ts lacks`),
      ...parameters
        .filter((parameter) => !ofNoMember.includes(parameter) && !filters.some(({ filter }) => filter === parameter))
        .map((parameter) => `the parameter ${parameter} filters by no member: name it in the row of one in ${table}`),
    ];
    expect(problems, problems.join('\n')).to.deep.equal([]);
  });

  it('every order has streams, and every stream an index that ends with its key and the id', () => {
    const request = { env: 1, inboxes: [], now: 0, ...unfiltered, descending: false, after: null, limit: 1 };
    // Of an order that streams.ts lacks there are none, whatever its types say.
    const ofSort: (sort: ItemSort) => readonly ItemStream[] | undefined = (sort) =>
      streamsForSort({ ...request, sort });
    const streams = [...Object.values(itemStreams), ...itemSorts.flatMap((sort) => ofSort(sort) ?? [])];
    const problems = [
      ...itemSorts
        .filter((sort) => ofSort(sort) === undefined)
        .map((sort) => `the order ${sort} has no stream: add it to shared/items/list/streams.ts`),
      ...streams
        .filter(
          ({ key }) =>
            !indexes.some(
              (index) =>
                index[0] === 'env' &&
                index.slice(key === null ? -1 : -2).join() === [...(key === null ? [] : [key]), 'id'].join(),
            ),
        )
        .map(
          ({ name, key }) =>
            `the stream ${name} has no index on (env, inbox, …, ${key === null ? '' : `${key}, `}id): add one by a migration`,
        ),
    ];
    expect(problems, problems.join('\n')).to.deep.equal([]);
  });

  it('every edited member has its place in the console, and with every order in the views of the SDK', () => {
    const lacks = (file: string, wanted: string): string[] => (textOf(file).includes(wanted) ? [] : [file]);
    const problems = [
      ...editedNames.flatMap((name) => [
        ...lacks('api/console/inbox/filter.ts', `\n  ${name}: { usual: `).map(
          (file) => `${name} is not shown: give it a row in editedMembers of ${file}`,
        ),
        ...lacks('api/console/inbox/texts.tsx', `\n    ${name}: {\n      label: `).map(
          (file) => `${name} has no texts: add them to edited of ${file}`,
        ),
        ...lacks('shared/sdk/views.ts', `\n  readonly ${name}?: `).map(
          (file) => `no view of the SDK filters by ${name}: add it to ${file}`,
        ),
      ]),
      ...itemSorts.flatMap((sort) =>
        lacks('shared/sdk/views.ts', `'${sort}'`).map(
          (file) => `no view of the SDK has the order ${sort}: add it to ${file}`,
        ),
      ),
    ];
    expect(problems, problems.join('\n')).to.deep.equal([]);
  });

  it('items are updated by their own writer, and by the sweep over words', () => {
    const writers = sources.filter(({ text }) => /\bupdate items\b/.test(text)).map(({ file }) => file);
    expect(writers).to.have.members(['shared/items/perform/writeSql.ts', 'shared/items/recutWords.ts']);
  });

  it('items are read by named columns', () => {
    const problems = sources
      .filter(({ text }) => /select (?:\w\.)?\* from (?:items|\(?\$\{sampledItemsSql)\b/.test(text))
      .map(
        ({ file }) => `${file} reads all columns of items: name them, or take scannedColumns of shared/items/model.ts`,
      );
    expect(problems, problems.join('\n')).to.deep.equal([]);
  });
});
