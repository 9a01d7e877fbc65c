/** Light, dark, or as the system has it; kept in this browser. Used by the rail and at start. */
import { useState } from 'react';
import { keep, readKept } from '../wire/kept.ts';

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const key = 'console.theme';

const find = (name: unknown): Theme | undefined => themes.find((known) => known === name);

const readTheme = (): Theme => find(readKept(key)) ?? 'system';

/** Shows the page as it was set last. */
export const applyTheme = (theme: Theme = readTheme()): void => {
  document.documentElement.dataset['theme'] = theme;
};

/** Shows a theme and keeps it; without storage it holds as long as the page is open. */
const keepTheme = (theme: Theme): void => {
  applyTheme(theme);
  keep(key, theme);
};

/** Takes the theme of the account in a browser where none was chosen. */
export const adoptTheme = ({ theme }: { readonly theme?: unknown }): void => {
  const kept = find(theme);
  if (kept !== undefined && readKept(key) === null) keepTheme(kept);
};

export const nextTheme = (theme: Theme): Theme => themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';

export const useTheme = (): readonly [Theme, (theme: Theme) => void] => {
  const [theme, setTheme] = useState(readTheme);
  return [
    theme,
    (next) => {
      setTheme(next);
      keepTheme(next);
    },
  ];
};
