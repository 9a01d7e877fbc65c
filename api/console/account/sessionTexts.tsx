/** The texts of where one is signed in. Used by Sessions. */
import type { ReactNode } from 'react';

export const sessionTexts = {
  label: 'Sessions',
  title: 'Where you are signed in',
  thisOne: 'This session',
  from: (address: string) => `From ${address}`,
  fromUnknown: 'From an unknown address',
  used: (opened: ReactNode, used: ReactNode) => (
    <>
      opened {opened}, used {used}
    </>
  ),
  usedFrom: (address: string, opened: ReactNode, used: ReactNode) => (
    <>
      from {address}, opened {opened}, used {used}
    </>
  ),
  signOut: 'Sign out',
  signedOut: 'You are signed out.',
  end: 'End it',
  /** The names of the button for those who don't see its row; they begin with what stands on it. */
  endOf: (address: string) => `End it from ${address}`,
  endOfUnknown: 'End it from an unknown address',
  ended: 'The session has ended, everywhere.',
};
