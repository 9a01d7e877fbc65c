/** The texts of all operations, those on settings among them. Used by the documents and the law of their rows. */
import { settingsResources } from '../../routes/settings.ts';
import { resourceTexts } from '../../routes/settings/endpoints.ts';
import { itemOperations } from './items.ts';
import { type OperationText, type OperationTexts, workOperations } from './work.ts';

const settingsOperations: OperationTexts = {
  'signIn.methods': { id: 'get_sign_in_methods', description: 'How people sign in.' },
  'signIn.oidc': {
    id: 'sign_in_by_provider',
    description: 'Sends a browser to the provider.',
  },
  'person.signIn': {
    id: 'sign_in',
    description: 'A session’s token, set as a cookie too.',
  },
  'person.invitation.redeem': { id: 'accept_invitation', description: 'Sets the password of who was invited.' },
  'person.reset': { id: 'reset_password', description: 'Mails a link; says nothing of who exists.' },
  'person.reset.redeem': { id: 'confirm_password_reset', description: 'Sets a new password, and ends all sessions.' },
  'person.freshSignIn': {
    id: 'sign_in_fresh',
    description: 'Makes a session fresh.',
  },
  'person.signOut': {
    id: 'sign_out',
    description: 'Ends this session and its streams.',
  },
  'agent.activity': {
    id: 'list_agent_activity',
    description: 'What an agent changed, asked for and was refused. For `audit: see`.',
  },
  'settings.erasures': { id: 'list_erasures', description: 'Removals of persons.' },
  'settings.usage': {
    id: 'get_usage',
    description: 'Beyond the limit changes are `429 rate_limited`, beyond the quota `507 quota_exceeded`.',
  },
  'settings.jobs': { id: 'list_jobs', description: 'Work that waits, runs or failed, and why.' },
  'jobs.change': { id: 'change_jobs', description: 'By kind, error and time; 10,000 a call.' },
  'job.retry': { id: 'retry_job', description: 'Tries a job now; one that waits for something else is 409.' },
  ...Object.fromEntries(settingsResources.flatMap(resourceTexts)),
  'erasure.create': { id: 'create_erasure', description: 'Removes what identifies a person.' },
};

export const operationTexts: OperationTexts = { ...itemOperations, ...workOperations, ...settingsOperations };

/** Returns the text of an endpoint. Throws for one that has none. */
export const operationTextOf = (name: string): OperationText => {
  const text = Object.hasOwn(operationTexts, name) ? operationTexts[name] : undefined;
  if (text === undefined)
    throw new Error(
      `The endpoint ${name} has no text in the documents: add its row { id, description } to api/documents/operations.`,
    );
  return text;
};
