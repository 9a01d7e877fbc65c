/** What a state machine is, as data, and what statements and checks derive from one. Used by the tables beside it. */

/**
 * `waiting`: for a person, for the app or for other rows; `active`: a job, a worker or the app is at it, or is about to
 * be; `ended`: no work is left, though somebody may ask for it again.
 */
type StateKind = 'waiting' | 'active' | 'ended';

interface State {
  readonly kind: StateKind;
  readonly meaning: string;
  /** Of a machine without a status column: the condition in SQL over a row; heartbeats before `since` do not count. */
  readonly where?: (row: string, since: string) => string;
}

/** One arrow. `from` null: the row is inserted; `to` null: it is deleted. */
interface Transition<S extends string = string, W extends string = string> {
  readonly from: S | null;
  readonly to: S | null;
  /** The event or the reason. */
  readonly why: W;
  /** No statement moves the row: time does. */
  readonly byTime?: true;
}

export interface Machine<S extends string = string, W extends string = string> {
  readonly name: string;
  readonly table: string;
  /** The status in SQL over a row; absent: each state has its `where`. */
  readonly status?: (row: string) => string;
  /** Of states that are rows which follow each other instead of one row that changes: which rows, and what they share. */
  readonly history?: { readonly where: (row: string) => string; readonly key: readonly string[] };
  readonly states: Readonly<Record<S, State>>;
  readonly transitions: readonly Transition<S, W>[];
}

/** Returns the machine as it is, with its states and reasons as types. */
export const defineMachine = <const S extends string, const W extends string>(machine: Machine<S, W>): Machine<S, W> =>
  machine;

export type StateOf<M> = M extends Machine<infer S> ? S : never;

/** Returns all states in the table's order. */
export const statesOf = <S extends string>({ states }: Machine<S>): S[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the states of a machine are the keys of its table
  Object.keys(states) as S[];

/** Returns the states of these kinds, in the table's order. */
export const statesOfKind = <S extends string>(machine: Machine<S>, ...kinds: readonly StateKind[]): S[] =>
  statesOf(machine).filter((state) => kinds.includes(machine.states[state].kind));

/** Returns the states whose work is not over. */
export const openStates = <S extends string>(machine: Machine<S>): S[] => statesOfKind(machine, 'waiting', 'active');

/** Returns the states that have an arrow to `to`. */
export const statesBefore = <S extends string>(machine: Machine<S>, to: NoInfer<S>): S[] =>
  statesOf(machine).filter((state) => machine.transitions.some((arrow) => arrow.from === state && arrow.to === to));

/** Returns the states that an event of this name moves a row from. */
export const statesLeftBy = <S extends string, W extends string>(machine: Machine<S, W>, why: NoInfer<W>): S[] =>
  statesOf(machine).filter((state) => machine.transitions.some((arrow) => arrow.from === state && arrow.why === why));

/** Returns the states that no arrow leaves to another state. */
export const terminalStates = <S extends string>(machine: Machine<S>): S[] =>
  statesOf(machine).filter((state) => !machine.transitions.some(({ from, to }) => from === state && to !== null));

/** Returns states as a list for `in (…)` in SQL. */
export const sqlList = (states: readonly string[]): string => states.map((state) => `'${state}'`).join(', ');

/** Returns SQL for the state of a row: its status, or the name of the predicate that holds. */
export const stateSql = (machine: Machine, row: string, since: string): string =>
  machine.status?.(row) ??
  `case ${statesOf(machine)
    .map((state) => `when ${machine.states[state]?.where?.(row, since) ?? 'false'} then '${state}'`)
    .join(' ')} end`;
