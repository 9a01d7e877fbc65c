/** Keys as this device's keyboard has them. Used by buttons and by the sheet of all keys. */

const isMac = /mac|iphone|ipad/i.test(navigator.platform);

/** Returns keys with ⌘ as they are printed. */
export const printedKeys = (keys: string): string => (isMac ? keys : keys.replace('⌘', 'Ctrl+'));

/** Returns keys as `aria-keyshortcuts` has them. */
export const ariaKeys = (keys: string): string =>
  keys
    .replace('⌘', isMac ? 'Meta+' : 'Control+')
    .replace('↵', 'Enter')
    .replace('Esc', 'Escape');
