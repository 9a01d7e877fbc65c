/** The texts of people in the settings. */
import type { FormTexts } from '../settings/resourceRow.ts';
import { inRow, plural } from '../ui/plural.ts';

export const peopleTexts = {
  title: 'People',
  about: 'Who signs in, with which role, and where.',
  headings: ['Name', 'E-mail', 'Role', 'Environments'],
  you: 'you',
  maySignIn: (who: string) => `${who} may sign in now.`,
  invited: {
    title: (who: string) => `${who} is invited`,
    about: 'Give them this link in a safe way. It works once, within 7 days, and is not shown again.',
    link: 'Link',
    mailed: (who: string) => `${who} is invited: a link is on its way by mail.`,
  },
  isChanged: (who: string) => `${who} is changed.`,
  remove: 'Remove',
  removeOf: (who: string) => `Remove ${who}`,
  removal: {
    title: (who: string) => `Remove ${who}?`,
    about:
      'Their sessions end at once, everywhere, and they can’t sign in any more. What they did stays under their name.',
    done: (who: string, items: number, agents: readonly string[]) =>
      [
        `${who} is removed.`,
        ...(items === 0
          ? []
          : [
              `${plural(items, { one: '1 item of theirs becomes', other: `${String(items)} items of theirs become` })} nobody’s.`,
            ]),
        ...(agents.length === 0 ? [] : [`Agents that they made stay: ${inRow(agents)}.`]),
      ].join(' '),
  },
  form: {
    fields: [
      { name: 'name', as: 'name' },
      { name: 'email', as: 'email', label: 'E-mail', most: 320, isUnique: true },
      { name: 'role', as: 'role' },
      { name: 'environments', as: 'reach' },
    ],
    make: 'New person',
    newDeed: 'Let them sign in',
    change: {
      title: (who: string) => `Change ${who}`,
      about: 'A change holds at once. A new password ends their sessions.',
      deed: (who: string) => `Change ${who}`,
    },
  } satisfies Omit<FormTexts, 'newAbout'>,
  signIn: {
    byPassword:
      'They get a link by which they choose their password. With a password of yours they get none: tell it in a safe way.',
    byProvider: (provider: string) => `They sign in by ${provider} with this e-mail address.`,
    byProviderOrPassword: (provider: string) =>
      `They sign in by ${provider} with this e-mail address, or with a password if they get one.`,
    password: 'Password',
    newPassword: 'New password',
    inviteAgain: 'Invite again: a new link replaces the former one',
  },
};
