/** Texts of the sign-in that some changes need anew. Used by freshSignIn.tsx. */
export const freshSignInTexts = {
  title: 'Confirm that it is you',
  about: 'This needs a sign-in that is not older than 15 minutes. It goes on by itself afterwards.',
  deed: 'Go on',
};
