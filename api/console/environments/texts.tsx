/** The texts of environments in the settings. */
import type { ReactNode } from 'react';
import type { FormTexts } from '../settings/resourceRow.ts';

export const environmentTexts = {
  title: 'Environments',
  about: 'Each has its own items, records, declarations and keys; they share roles and people.',
  thisOne: 'this one',
  notDeclared: 'no app has declared anything yet',
  declared: (when: ReactNode) => <>declared {when}</>,
  /** `what`: the label of a switch. */
  isOn: (environment: string, what: string) => `${environment}, ${what.toLowerCase()}: on now.`,
  isOff: (environment: string, what: string) => `${environment}, ${what.toLowerCase()}: off now.`,
  isMade: (environment: string) => `${environment} is there. Make an app key in it to connect its app.`,
  form: {
    fields: [
      {
        name: 'name',
        as: 'line',
        label: 'Name, as a part of its address',
        example: 'acceptance',
        form: ['[A-Za-z][A-Za-z0-9_.\\-]*', 'A letter, then letters, digits, _, . and -'],
        most: 100,
        isUnique: true,
      },
    ],
    make: 'New environment',
    newAbout: 'It is empty until an app declares what it holds. You have access to it.',
    newDeed: 'Make environment',
  } satisfies FormTexts,
  switches: {
    independentApproval: {
      label: 'Independent approval',
      about:
        'who made or changed an agent in the last 30 days can’t decide its requests, nor can whom they let in; nor whom the requester let in',
    },
    acceptNew: {
      label: 'New names wait',
      about: 'agents use new actions and flags only after a person has accepted them',
    },
    trustApp: {
      label: 'Trust the app',
      about: 'its app may loosen what it declares without a person; what waits already goes on waiting',
    },
  },
};
