/** Texts around the sections of the settings. Used by SettingsPage. */
export const settingsPageTexts = {
  settings: 'Settings',
  noSection: 'No such settings',
  noSectionAbout: 'The address names none of them. Choose one above.',
};
