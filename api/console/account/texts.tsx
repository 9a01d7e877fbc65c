/** The texts of one's own account: name, appearance, times, password and sessions. */
import type { ReactNode } from 'react';
import { inRow } from '../ui/plural.ts';

export const accountTexts = {
  title: 'Your account',
  about: (role: string, environments: readonly string[]) => `${role} in ${inRow(environments)}`,
  name: 'Name',
  changeName: 'Change the name',
  nameChanged: (name: string) => `Your name is ${name} now.`,
  appearance: 'Appearance',
  themes: { system: 'As the system has it', light: 'Light', dark: 'Dark' },
  themeKept: 'Kept with your account.',
  times: 'Times',
  timeZone: 'Time zone',
  zoneOfDevice: (zone: string) => `As this device has it (${zone})`,
  zoneChosen: (zone: string) => `Times are shown as in ${zone}.`,
  password: {
    title: 'Password',
    current: 'Current password',
    next: 'New password',
    change: 'Change the password',
    changed: 'Your password is another now. Your other sessions have ended.',
    about: 'At least 8 characters. Your other sessions end; this one goes on.',
  },
  /** The texts of where one is signed in. */
  sessions: {
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
  },
};
