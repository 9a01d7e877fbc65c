/** Whether somebody was signed in when this browser showed the console last. Used by first.ts and the shell. */

const key = 'console.signedIn';

/** Returns whether somebody is likely to be signed in; false where the browser keeps nothing. */
export const isLikelySignedIn = (): boolean => {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
};

/** Keeps whether somebody is signed in, for the next visit. */
export const noteSignedIn = (isSignedIn: boolean): void => {
  try {
    if (isSignedIn) localStorage.setItem(key, '1');
    else localStorage.removeItem(key);
  } catch {
    // Without storage the next visit asks first who is there.
  }
};
