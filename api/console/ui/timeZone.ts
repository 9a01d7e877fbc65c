/** The time zone in which the page shows and reads times: the one of the person's account, else that of this device. */

let chosen: string | null = null;

/** Returns the name of this device's zone in the tz database. */
export const deviceZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns the zone that the person chose; null: none. */
export const chosenZone = (): string | null => chosen;

/** Returns the zone by its name in the tz database. */
export const timeZone = (): string => chosen ?? deviceZone();

const isKnown = (zone: string): boolean => {
  try {
    return Intl.DateTimeFormat(undefined, { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

/** Returns the zone of a person's preferences; null: none, or one that this browser does not know. */
export const preferredZone = ({ timeZone: zone }: { readonly timeZone?: unknown }): string | null =>
  typeof zone === 'string' && isKnown(zone) ? zone : null;

/** Shows times from now on in the zone that a person prefers. */
export const adoptTimeZone = (preferences: { readonly timeZone?: unknown }): void => {
  // Asked at each drawing of the frame; to try a zone takes long.
  if (preferences.timeZone !== chosen) chosen = preferredZone(preferences);
};
