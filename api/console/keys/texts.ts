/** The texts of app keys in the settings. */
export const keyTexts = {
  title: 'App keys',
  about: (environment: string) => `By which the app of ${environment} connects. Make one for each deployment.`,
  make: 'New app key',
  none: 'No app key yet',
  noneAbout: 'Make one, and start your app with it; what it declares appears here.',
  headings: ['Name', 'Used', 'Made'],
  changes: 'Changes',
  neverUsed: 'never',
  /** The buttons of a row, and their names for those who don't see it. */
  deeds: {
    name: { label: 'Rename', of: (key: string) => `Rename: ${key}` },
    rotate: { label: 'New key', of: (key: string) => `New key: ${key}` },
    revoke: { label: 'Revoke', of: (key: string) => `Revoke: ${key}` },
  },
  form: {
    newAbout: 'The key is shown once, after it is made.',
    newDeed: 'Make app key',
    rename: (key: string) => `Rename ${key}`,
    renameAbout: 'Only what people read changes.',
    renameDeed: 'Rename',
    nameExample: 'Shop, Frankfurt',
  },
  rotation: {
    title: (key: string) => `New key for ${key}`,
    about: 'The old one works on while instances are replaced. The new key is shown once.',
    deed: 'Make a new key',
    oldKey: 'The old key',
  },
  revocation: {
    title: (key: string) => `Revoke ${key}?`,
    about:
      'It ends at once, and connections with it within seconds: an app that has no other key goes offline. This can’t be undone.',
    deed: (key: string) => `Revoke ${key}`,
    done: (key: string) => `${key} is revoked.`,
  },
  credential: {
    title: (key: string) => `${key} is ready`,
    newTitle: (key: string) => `The new key of ${key}`,
    about: 'The key is shown this once. Keep it where the app runs, in its environment or a store for secrets.',
    shownBefore: '(shown before)',
    key: 'App key',
    address: 'Address',
    start: 'Start the app',
    inProgram: 'In its program',
    /** Lines of code, the same in every language. */
    startLine: (baseUrl: string, key: string) => `BASE_URL='${baseUrl}' APP_KEY='${key}' npm start`,
    programLine: (baseUrl: string) => `connect({ app, url: '${baseUrl}', key: appKey })`,
  },
};
