/** The ordinary settings resources, by the names of their sections: everything that the console says and draws of them. Used by sections.ts and ResourceSection. */
import type { ResourceTexts } from './resourceRow.ts';

export const resourceTexts = {
  'app-keys': {
    api: { path: '/settings/app-keys', one: 'appKey', many: 'appKeys' },
    title: 'App keys',
    about: (environment) => `By which the app of ${environment} connects. Make one for each deployment.`,
    none: 'No app key yet',
    noneAbout: 'Make one, and start your app with it; what it declares appears here.',
    columns: [
      { name: 'name', heading: 'Name', as: 'text' },
      { name: 'lastUsedAt', heading: 'Used', as: 'time', none: 'never' },
      { name: 'createdAt', heading: 'Made', as: 'time' },
    ],
    changes: 'Changes',
    deeds: {
      edit: { label: 'Rename', of: (key) => `Rename: ${key}` },
      rotate: { label: 'New key', of: (key) => `New key: ${key}` },
      end: { label: 'Revoke', of: (key) => `Revoke: ${key}` },
    },
    form: {
      fields: [{ name: 'name', as: 'name', example: 'Shop, Frankfurt' }],
      make: 'New app key',
      newAbout: 'The key is shown once, after it is made.',
      newDeed: 'Make app key',
      change: {
        title: (key) => `Rename ${key}`,
        about: 'Only what people read changes.',
        deed: () => 'Rename',
      },
    },
    rotation: {
      title: (key) => `New key for ${key}`,
      about: 'The old one works on while instances are replaced. The new key is shown once.',
      deed: 'Make a new key',
      old: 'The old key',
    },
    credential: {
      title: (key) => `${key} is ready`,
      newTitle: (key) => `The new key of ${key}`,
      about: () => 'The key is shown this once. Keep it where the app runs, in its environment or a store for secrets.',
      shownBefore: '(shown before)',
      parts: (key, baseUrl) => [
        ['App key', key],
        ['Address', baseUrl],
        ['Start the app', `BASE_URL='${baseUrl}' APP_KEY='${key}' npm start`],
        ['In its program', `connect({ app, url: '${baseUrl}', key: appKey })`],
      ],
    },
    ending: {
      title: (key) => `Revoke ${key}?`,
      about:
        'It ends at once, and connections with it within seconds: an app that has no other key goes offline. This can’t be undone.',
      deed: (key) => `Revoke ${key}`,
      done: (key) => `${key} is revoked.`,
    },
    audited: {
      'appKey.create': 'Make an app key',
      'appKey.update': 'Change an app key',
      'appKey.rotate': 'Renew an app key',
      'appKey.revoke': 'Revoke an app key',
    },
  },
} satisfies Readonly<Record<string, ResourceTexts>>;
