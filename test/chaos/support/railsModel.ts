/** The reference model of what protects people: the strictest that was declared and not accepted to be looser. For invariants/rails.ts. */
import type { Random } from '../../support/random.ts';

/** How strict each value of a member is: a higher number is stricter. */
const strictness: Readonly<Record<string, (value: unknown) => number>> = {
  approval: Number,
  danger: (value) => [null, 'low', 'high'].indexOf(value as string | null),
  freshSignIn: Number,
  reasonRequired: Number,
  when: Number,
  repeatable: (value) => -Number(value),
};

/** Members as they are declared, and as they are in force; `maximum` is that of the input's `amount`, null: none. */
export type Members = Readonly<Record<string, unknown>>;
export type Declared = ReadonlyMap<string, Members>;

interface Rule {
  readonly members: Members;
  /** The maximum that is remembered. */
  readonly maximum: number | null;
  readonly withheld: boolean;
}

interface Question {
  readonly to: unknown;
  readonly status: 'waiting' | 'refused';
}

const isProtected = ({ approval, danger }: Members): boolean => approval === true || (danger ?? null) !== null;
const maximumOf = ({ maximum }: Members): number | null => (typeof maximum === 'number' ? maximum : null);
const withoutMaximum = ({ maximum: _, ...members }: Members): Members => members;
const isWider = (declared: number | null, known: number | null): boolean =>
  known !== null && (declared === null || declared > known);
const amount = 'input.properties.amount.maximum';

/** Returns the stricter of both, and what the declaration has looser. */
const compare = (
  rule: Rule,
  declared: Members,
): { readonly rule: Rule; readonly looser: ReadonlyMap<string, unknown> } => {
  const looser = new Map<string, unknown>();
  const members = Object.fromEntries(
    Object.entries(withoutMaximum(declared)).map(([member, to]) => {
      const from = rule.members[member];
      const rank = strictness[member] ?? Number;
      if (rank(to) >= rank(from)) return [member, to];
      looser.set(member, to);
      return [member, from];
    }),
  );
  const maximum = maximumOf(declared);
  const wider = isWider(maximum, rule.maximum);
  if (wider) looser.set(amount, maximum);
  return { rule: { ...rule, members, maximum: wider ? rule.maximum : isProtected(members) ? maximum : null }, looser };
};

/** Returns members of a declaration, at random. */
export const someMembers = (type: string, random: Random): Members => {
  const often = (): boolean => random.next() < 0.6;
  const rarely = (): boolean => random.next() < 0.15;
  const shared = { approval: often(), danger: random.pick([null, 'low', 'high']), reasonRequired: rarely() };
  if (type === 'inbox') return { reasonRequired: often() };
  if (type === 'flag') return shared;
  const maximum = random.pick([null, 10, 100, 100, 1_000]);
  return { ...shared, freshSignIn: rarely(), repeatable: often(), when: rarely(), maximum };
};

/** What one environment's app has declared, and what of it is in force. Names begin with their type: `action refund`. */
export class RailsModel {
  /** Whether agents wait for new actions and flags. */
  acceptNew = false;
  #declared: Declared = new Map();
  #startedAt = 0;
  readonly #rules = new Map<string, Rule>();
  readonly #questions = new Map<string, Map<string, Question>>();

  /** A process that was started at `startedAt` registers. */
  register(declared: Declared, startedAt: number): void {
    const isSame = JSON.stringify([...declared]) === JSON.stringify([...this.#declared]);
    if (!isSame && startedAt < this.#startedAt) return;
    this.#startedAt = Math.max(startedAt, this.#startedAt);
    if (isSame) return;
    this.#declared = declared;
    for (const [name, members] of declared) this.#declare(name, members);
  }

  #questionsOf(name: string): Map<string, Question> {
    const known = this.#questions.get(name) ?? new Map<string, Question>();
    this.#questions.set(name, known);
    return known;
  }

  #declare(name: string, members: Members): void {
    const questions = this.#questionsOf(name);
    const known = this.#rules.get(name);
    if (known === undefined) {
      const withheld = this.acceptNew && !name.startsWith('inbox ');
      const maximum = isProtected(members) ? maximumOf(members) : null;
      this.#rules.set(name, { members: withoutMaximum(members), maximum, withheld });
      if (withheld) questions.set('new', { to: null, status: 'waiting' });
      return;
    }
    const { rule, looser } = compare(known, members);
    this.#rules.set(name, rule);
    for (const [member, { to }] of questions)
      if (member !== 'new' && !(looser.has(member) && looser.get(member) === to)) questions.delete(member);
    for (const [member, to] of looser) if (!questions.has(member)) questions.set(member, { to, status: 'waiting' });
  }

  /** A person decides a question that waits. Returns whether that is possible. */
  decide(name: string, member: string, verb: 'accept' | 'refuse'): boolean {
    const questions = this.#questionsOf(name);
    const question = questions.get(member);
    if (question?.status !== 'waiting') return false;
    if (verb === 'refuse') {
      questions.set(member, { ...question, status: 'refused' });
      return true;
    }
    const declared = this.#declared.get(name);
    const rule = this.#rules.get(name);
    if (declared === undefined || rule === undefined) return false;
    questions.delete(member);
    const accepted: Rule =
      member === 'new'
        ? { ...rule, withheld: false }
        : member === amount
          ? { ...rule, maximum: maximumOf(declared) }
          : { ...rule, members: { ...rule.members, [member]: declared[member] } };
    this.#rules.set(name, compare(accepted, declared).rule);
    return true;
  }

  /** Returns what is in force of a name that is declared now; null: it isn't. */
  inForce(name: string): (Members & { readonly withheld: boolean }) | null {
    const declared = this.#declared.get(name);
    const rule = this.#rules.get(name);
    if (declared === undefined || rule === undefined) return null;
    const maximum = maximumOf(declared);
    return {
      ...rule.members,
      ...('maximum' in declared ? { maximum: isWider(maximum, rule.maximum) ? rule.maximum : maximum } : {}),
      withheld: rule.withheld,
    };
  }

  /** Returns the questions that wait, as `name member`. */
  waiting(): string[] {
    return [...this.#questions].flatMap(([name, questions]) =>
      [...questions].flatMap(([member, { status }]) => (status === 'waiting' ? [`${name} ${member}`] : [])),
    );
  }
}
