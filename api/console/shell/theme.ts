/** Light, dark, or as the system has it; kept in this browser. Used by the rail and at start. */
import { useState } from 'react';

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const key = 'console.theme';

const find = (name: unknown): Theme | undefined => themes.find((known) => known === name);

const stored = (): string | null => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};

const readTheme = (): Theme => find(stored()) ?? 'system';

/** Shows the page as it was set last. */
export const applyTheme = (theme: Theme = readTheme()): void => {
  document.documentElement.dataset['theme'] = theme;
};

const keepTheme = (theme: Theme): void => {
  applyTheme(theme);
  try {
    localStorage.setItem(key, theme);
  } catch {
    // Without storage it holds as long as the page is open.
  }
};

/** Takes the theme of the account in a browser where none was chosen. */
export const adoptTheme = ({ theme }: { readonly theme?: unknown }): void => {
  const kept = find(theme);
  if (kept !== undefined && stored() === null) keepTheme(kept);
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
