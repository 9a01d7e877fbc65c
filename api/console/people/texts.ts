/** The texts of people in the settings. */
export const peopleTexts = {
  title: 'People',
  about: 'Who signs in, with which role, and where.',
  make: 'New person',
  headings: ['Name', 'E-mail', 'Role', 'Environments'],
  you: 'you',
  maySignIn: (who: string) => `${who} may sign in now.`,
  isChanged: (who: string) => `${who} is changed.`,
  remove: 'Remove',
  removeOf: (who: string) => `Remove ${who}`,
  removal: {
    title: (who: string) => `Remove ${who}?`,
    about:
      'Their sessions end at once, everywhere, and they can’t sign in any more. What they did stays under their name.',
    done: (who: string) => `${who} is removed.`,
  },
  form: {
    newDeed: 'Let them sign in',
    /** The title of the form, and its button. */
    change: (who: string) => `Change ${who}`,
    changeAbout: 'A change holds at once. A new password ends their sessions.',
    byPassword: 'They sign in with this e-mail address and password; tell them both in a safe way.',
    byProvider: (provider: string) => `They sign in by ${provider} with this e-mail address.`,
    byProviderOrPassword: (provider: string) =>
      `They sign in by ${provider} with this e-mail address, or with a password if they get one.`,
    email: 'E-mail',
    password: 'Password',
    newPassword: 'New password',
  },
};
