/** The texts of one's own account: name, appearance, times, password and sessions. */
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
};
