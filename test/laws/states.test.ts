/** The machines of shared/catalogue/states: sound as tables, printed into docs/states.md, and the only source of conditions. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { machines } from '../../shared/catalogue/states.ts';
import { openStates, statesOf, terminalStates, type Machine } from '../../shared/catalogue/states/machine.ts';
import { expectPrinted } from '../support/printed.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** One line for each pair of states, with all its reasons. */
const diagram = ({ transitions }: Machine): string => {
  const labels = new Map<string, string[]>();
  for (const { from, to, why, byTime } of transitions) {
    const arrow = `${from ?? '[*]'} --> ${to ?? '[*]'}`;
    labels.set(arrow, [...(labels.get(arrow) ?? []), byTime === true ? `${why} (no statement)` : why]);
  }
  return [
    '```mermaid',
    'stateDiagram-v2',
    ...[...labels].map(([arrow, why]) => `    ${arrow} : ${why.join(' / ')}`),
    '```',
  ].join('\n');
};

const statesTable = (machine: Machine): string =>
  [
    '| State | Kind | Meaning |',
    '| - | - | - |',
    ...statesOf(machine).map((name) => {
      const { kind = '', meaning = '' } = machine.states[name] ?? {};
      return `| \`${name}\` | ${kind} | ${meaning} |`;
    }),
  ].join('\n');

const section = (machine: Machine): string =>
  [
    `## ${machine.name.charAt(0).toUpperCase()}${machine.name.slice(1)}`,
    `Table \`${machine.table}\`.`,
    diagram(machine),
    statesTable(machine),
  ].join('\n\n');

const leavesByDeletion = ({ transitions }: Machine, state: string): boolean =>
  transitions.some(({ from, to }) => from === state && to === null);

describe('law: states', () => {
  for (const machine of machines) {
    it(`${machine.name}: every state can be reached from the row's insert`, () => {
      const reached = new Set<string | null>([null]);
      for (let size = 0; size < reached.size;) {
        size = reached.size;
        for (const { from, to } of machine.transitions) if (reached.has(from) && to !== null) reached.add(to);
      }
      expect(statesOf(machine).filter((state) => !reached.has(state))).to.deep.equal([]);
    });

    it(`${machine.name}: what is open moves on, no row is written twice`, () => {
      const open: readonly string[] = openStates(machine);
      expect(
        terminalStates(machine).filter((state) => open.includes(state) && !leavesByDeletion(machine, state)),
        'a state without a way out has ended',
      ).to.deep.equal([]);
      const rows = machine.transitions.map(({ from, to, why }) => `${String(from)} → ${String(to)}: ${why}`);
      expect(rows).to.deep.equal([...new Set(rows)]);
      expect(machine.transitions.filter(({ from, to }) => from === to)).to.deep.equal([]);
    });

    it(`${machine.name}: each state has either the machine's status or a condition of its own`, () => {
      const conditions = Object.values(machine.states).filter(({ where }) => where !== undefined);
      expect(conditions).to.have.length(machine.status === undefined ? statesOf(machine).length : 0);
    });
  }

  it('docs/states.md shows them', () => {
    expectPrinted('docs/states.md', 'states', machines.map(section).join('\n\n'), 'npx mocha test/laws/states.test.ts');
  });

  it('statements take lists of statuses from the tables', () => {
    const offenders = ['api', 'shared', 'workers'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => join(folder, file))
        .filter((file) => /status (not )?in \('/.test(readFileSync(join(root, file), 'utf8'))),
    );
    expect(offenders, 'write sqlList(…) of states from shared/catalogue/states').to.deep.equal([]);
  });
});
