/** Texts of the page on which the provider's window ends. Used by SignedIn. */
export const signedInTexts = {
  title: 'Sign-in',
  done: 'You are signed in. Close this window and go on where you were.',
};
