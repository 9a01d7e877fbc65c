/** The texts of loosenings: their section of the settings, and which rule becomes what. Used by the pages of loosenings. */
import type { ReactNode } from 'react';
import { plural } from '../ui/plural.ts';
import type { Loosening } from '../wire/types.ts';

export const looseningTexts = {
  title: 'Loosenings',
  about: 'What the app declares less strict than before. The stricter rule holds until a person has decided.',
  waiting: 'Waiting',
  noneWaits: 'Nothing waits. What the app loosens appears here.',
  decided: 'Decided and noted',
  noneDecided: 'Nothing yet.',
  becomes: 'becomes',
  declared: (when: ReactNode) => <>declared {when}; the stricter rule holds until somebody decides</>,
  accept: 'Loosen it',
  refuse: 'Keep it strict',
  acceptNew: 'Let agents use it',
  refuseNew: 'Keep agents out',
  isAccepted: (what: string) => `${what}: what is declared holds now.`,
  isRefused: (what: string) => `${what}: the stricter rule stays.`,
  status: {
    waiting: 'waits',
    accepted: 'accepted',
    refused: 'refused',
    noted: 'noted: a new name',
  } satisfies Readonly<Record<Loosening['status'], string>>,
  acceptedBy: (who: string) => `accepted by ${who}`,
  refusedBy: (who: string) => `refused by ${who}`,
  declaredAt: (when: ReactNode) => <>declared {when}</>,
  /** The texts of the rules that loosenings are about: what each says, and what is said of a new name. */
  rules: {
    /** Whose rule it is, by the kind of what is declared. */
    of: {
      action: (name: string) => `Action ${name}`,
      flag: (name: string) => `Flag ${name}`,
      inbox: (name: string) => `Inbox ${name}`,
    } satisfies Readonly<Record<Loosening['on']['type'], unknown>>,
    resembles: (name: string) => `resembles ${name}, which was removed`,
    unknown: 'unknown so far',
    declaredFirst: 'declared for the first time',
    approval: 'a person approves it',
    noApproval: 'nobody approves it',
    danger: (danger: string) => `${danger} danger, confirmed by whoever does it`,
    noDanger: 'no danger, no confirmation',
    freshSignIn: 'needs a fresh sign-in',
    noFreshSignIn: 'needs no fresh sign-in',
    reason: 'needs a reason',
    noReason: 'needs no reason',
    when: (condition: string) => `only when ${condition}`,
    always: 'whatever the record is',
    stale: (fields: string) => `a request ends when one of these fields changes: ${fields}`,
    neverStale: 'a request ends by no field of the record',
    resource: (resource: string) => `acts on a ${resource}`,
    noResource: 'acts on no record',
    repeatable: 'may be done again when its answer was lost',
    notRepeatable: 'is never done again by itself',
    /** Names the whole input as the subject of a limit. */
    input: 'its input',
    limit: (where: string, limit: string) => `${where}: ${limit}`,
    unlimited: (where: string) => `${where}: without a limit`,
    /** Texts of limits, by their keywords of JSON Schema. */
    limits: {
      maximum: (value: string) => `at most ${value}`,
      exclusiveMaximum: (value: string) => `less than ${value}`,
      minimum: (value: string) => `at least ${value}`,
      exclusiveMinimum: (value: string) => `more than ${value}`,
      maxLength: (value: string) =>
        plural(Number(value), { one: `at most ${value} character`, other: `at most ${value} characters` }),
      maxItems: (value: string) =>
        plural(Number(value), { one: `at most ${value} entry`, other: `at most ${value} entries` }),
      pattern: (value: string) => `of the form ${value}`,
      type: (value: string) => `of the type ${value}`,
      const: (value: string) => `only ${value}`,
      enum: (value: string) => `one of ${value}`,
    },
  },
};
