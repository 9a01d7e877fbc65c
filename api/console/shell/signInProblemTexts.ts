/** Why a sign-in by the provider has failed, by the API's word for it. Used by signInProblems.ts. */
import type { SignInProblem } from '../../../shared/settings/openId/problems.ts';

export const signInProblemTexts: Readonly<Record<SignInProblem | 'other', string>> = {
  provider_unavailable: 'The provider can’t be reached now. Try again in a minute.',
  provider_refused: 'The provider did not let you in.',
  not_begun_here: 'That sign-in took too long, or was begun in another window. Try again.',
  invalid_answer: 'The provider’s answer is not valid. Try again, or tell whoever runs this console.',
  email_unverified: 'The provider does not say that your e-mail address is yours. Confirm it there first.',
  unknown_person: 'Nobody here has your e-mail address. Ask an admin to let you in.',
  other_identity: 'Your e-mail address belongs to somebody whom the provider knows as another person. Ask an admin.',
  removed: 'You were removed here. Ask an admin to let you in again.',
  no_group: 'You are in none of the groups that may sign in here.',
  last_admin: 'You are the last admin, and your groups no longer say so. Make another person admin first.',
  no_access: 'You have no access to this environment.',
  misconfigured: 'Your groups lead to a role or an environment that does not exist. Tell whoever runs this console.',
  other_person: 'Somebody else signed in than whose session this is.',
  not_fresh: 'The provider does not say that you signed in just now.',
  other: 'The sign-in has failed. Try again.',
};
