/** The texts of loosenings: their section of the settings, and which rule becomes what. Used by the pages of loosenings. */
import type { ReactNode } from 'react';
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
};
