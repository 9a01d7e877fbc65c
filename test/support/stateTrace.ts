/**
 * Triggers that only tests install: they record the arrows along which statements of the service move rows. With
 * STATE_TRACE=1 every test database records those that the tables of shared/catalogue/states lack, and fails its suite
 * when it is dropped; test/states records all. What the owner's role writes (tests that arrange a situation) is not recorded.
 */
import { expect } from 'chai';
import { linkLimits } from '../../shared/app/link/protocol.ts';
import { machines } from '../../shared/catalogue/states.ts';
import { stateSql, type Machine } from '../../shared/catalogue/states/machine.ts';
import { dbNowSql } from '../../shared/platform/leases/leaderLease.ts';

type Query = (text: string) => Promise<{ readonly rows: unknown[] }>;

/** An arrow as a text: `pending → queued`; nothing before or after it stands for a row that is not there. */
const arrowText = (from: string | null, to: string | null): string => `${from ?? ''} → ${to ?? ''}`;

const since = `${dbNowSql} - ${String(linkLimits.goneMs)}`;

/** A row in no state at all is in `?`, to which no arrow leads. */
const stateOf = (machine: Machine, row: string): string => `coalesce(${stateSql(machine, row, since)}, '?')`;

const declaredSql = ({ transitions }: Machine): string =>
  transitions.map(({ from, to }) => `'${arrowText(from, to)}'`).join(', ');

/** The state before an insert: none, or that of the newest row of the same history. */
const stateBeforeInsert = (machine: Machine): string => {
  const { history, table } = machine;
  if (history === undefined) return `''`;
  const same = history.key.map((column) => `h.${column} = new.${column}`).join(' and ');
  return `coalesce((select ${stateOf(machine, 'h')} from public.${table} h where ${same} and h.id < new.id and ${history.where('h')} order by h.id desc limit 1), '')`;
};

const triggersOf = (machine: Machine, schema: string, all: boolean): string => {
  const name = machine.name.replaceAll(' ', '_');
  const { table, history } = machine;
  const unseen = (arrow: string): string => (all ? 'true' : `${arrow} not in (${declaredSql(machine)})`);
  const [was, is] = [stateOf(machine, 'old'), stateOf(machine, 'new')];
  const trigger = (event: string, condition: string): string =>
    `create trigger ${schema}_${name}_${event} after ${event} on public.${table} for each row when (${condition}) execute function ${schema}.${name}();`;
  return `
    create function ${schema}.${name}() returns trigger language plpgsql security definer as $body$
    declare arrow text;
    begin
      if session_user = current_user then return null; end if;
      if tg_op = 'INSERT' then arrow := ${stateBeforeInsert(machine)} || ' → ' || ${is};
      elsif tg_op = 'UPDATE' then arrow := ${was} || ' → ' || ${is};
      else arrow := ${was} || ' → '; end if;
      if ${unseen('arrow')} then
        insert into ${schema}.moves (machine, arrow, declared, key)
        values ('${machine.name}', arrow, arrow in (${declaredSql(machine)}), left(case when tg_op = 'DELETE' then old::text else new::text end, 500));
      end if;
      return null;
    end $body$;
    ${trigger('insert', history === undefined ? unseen(`' → ' || ${is}`) : history.where('new'))}
    ${history === undefined ? trigger('update', `${was} <> ${is} and ${unseen(`(${was} || ' → ' || ${is})`)}`) : ''}
    ${history === undefined ? trigger('delete', unseen(`(${was} || ' → ')`)) : ''}`;
};

/** Installs the triggers; `all` false: for arrows that no table has. To be called as the owner of the tables. */
export const installStateTrace = async (query: Query, all: boolean): Promise<void> => {
  const schema = all ? 'state_trace_all' : 'state_trace';
  await query(`
    create schema ${schema};
    create table ${schema}.moves (machine text not null, arrow text not null, declared boolean not null, key text not null);
    ${machines.map((machine) => triggersOf(machine, schema, all)).join('\n')}`);
};

/** Returns the arrows that no table has and rows were moved along nevertheless, each with an example. */
export const readUndeclaredArrows = async (query: Query): Promise<string[]> => {
  const { rows: tables } = await query(`select 1 from pg_tables where schemaname = 'state_trace'`);
  if (tables.length === 0) return [];
  const { rows } = await query(
    'select machine, arrow, min(key) as key from state_trace.moves where not declared group by 1, 2 order by 1, 2',
  );
  return (rows as { machine: string; arrow: string; key: string }[]).map(
    ({ machine, arrow, key }) => `${machine}: ${arrow} (${key})`,
  );
};

type Move = { readonly machine: string; readonly arrow: string; readonly declared: boolean };

const readMoves = async (query: Query): Promise<Move[]> => {
  const { rows } = await query('select distinct machine, arrow, declared from state_trace_all.moves');
  return rows as Move[];
};

const nameOf = ({ machine, arrow }: Pick<Move, 'machine' | 'arrow'>): string => `${machine}: ${arrow}`;

/** Returns the arrows of these machines' tables but `notDriven` and those of time alone that no row was moved along. */
export const findUnmovedArrows = async (
  query: Query,
  driven: readonly Machine[],
  notDriven: readonly string[] = [],
): Promise<string[]> => {
  const seen = new Set((await readMoves(query)).map(nameOf));
  const wanted = driven.flatMap(({ name, transitions }) =>
    transitions
      .filter(({ byTime }) => byTime !== true)
      .map(({ from, to }) => nameOf({ machine: name, arrow: arrowText(from, to) })),
  );
  return [...new Set(wanted)].filter((arrow) => !seen.has(arrow) && !notDriven.includes(arrow));
};

/** Throws unless rows of these machines were moved along all arrows of their tables but `notDriven`, and along no other. */
export const expectAllArrows = async (
  query: Query,
  driven: readonly Machine[],
  notDriven: readonly string[] = [],
): Promise<void> => {
  const undeclared = (await readMoves(query)).filter(({ declared }) => !declared).map(nameOf);
  expect(undeclared, 'arrows that no table has').to.deep.equal([]);
  expect(await findUnmovedArrows(query, driven, notDriven), 'arrows that nothing moved along').to.deep.equal([]);
};
