/** The operations of sign-in and settings, for the documents. Read by index.ts. */
import type { OperationTexts } from './operation.ts';

const once = 'Its token is shown once.';

export const settingsOperations: OperationTexts = {
  'signIn.methods': { id: 'get_sign_in_methods', description: 'How people sign in.' },
  'signIn.oidc': {
    id: 'sign_in_by_provider',
    description: 'Sends a browser to the provider.',
  },
  'person.signIn': {
    id: 'sign_in',
    description: 'A session’s token, set as a cookie too.',
  },
  'person.freshSignIn': {
    id: 'sign_in_fresh',
    description: 'Makes a session fresh.',
  },
  'person.signOut': {
    id: 'sign_out',
    description: 'Ends this session and its streams.',
  },
  'settings.agents': {
    id: 'list_agents',
    description: 'The agents of your environments.',
  },
  'agent.create': {
    id: 'create_agent',
    description: `Makes an agent. ${once}`,
  },
  'agent.rotate': {
    id: 'rotate_agent_token',
    description: 'Gives an agent another token.',
  },
  'agent.update': {
    id: 'update_agent',
    description: 'Changes what is given within a second.',
  },
  'agent.activity': {
    id: 'list_agent_activity',
    description: 'What an agent changed, asked for and was refused. For `audit: see`.',
  },
  'agent.revoke': {
    id: 'revoke_agent',
    description: 'Ends an agent within a second.',
  },
  'settings.roles': {
    id: 'list_roles',
    description: 'The roles, with what they grant.',
  },
  'role.create': {
    id: 'create_role',
    description: 'Makes a role. For those who have all environments.',
  },
  'role.update': {
    id: 'update_role',
    description: 'Changes what is given within a second.',
  },
  'role.delete': {
    id: 'delete_role',
    description: 'Deletes a role; one in use or built in is 409.',
  },
  'settings.people': {
    id: 'list_accounts',
    description: 'The people of your environments.',
  },
  'person.create': {
    id: 'create_account',
    description: 'Lets a person in, with a role and environments.',
  },
  'person.update': {
    id: 'update_account',
    description: 'Changes what is given.',
  },
  'person.revoke': {
    id: 'remove_account',
    description: 'Takes a person’s access away.',
  },
  'settings.appKeys': {
    id: 'list_app_keys',
    description: 'The app keys of this environment.',
  },
  'appKey.create': {
    id: 'create_app_key',
    description: `Makes an app key. ${once}`,
  },
  'appKey.rotate': {
    id: 'rotate_app_key',
    description: 'Gives an app key another token.',
  },
  'appKey.update': {
    id: 'update_app_key',
    description: 'Changes the name of an app key.',
  },
  'appKey.revoke': {
    id: 'revoke_app_key',
    description: 'Ends an app key within a second.',
  },
  'settings.environments': {
    id: 'list_environments',
    description: 'Your environments.',
  },
  'environment.create': {
    id: 'create_environment',
    description: 'Makes an empty environment.',
  },
  'environment.update': {
    id: 'update_environment',
    description: 'Changes what an environment demands.',
  },
  'settings.loosenings': {
    id: 'list_loosenings',
    description: 'What the app declares less strictly.',
  },
  'loosening.accept': {
    id: 'accept_loosening',
    description: 'Puts the declared value in force.',
  },
  'loosening.refuse': {
    id: 'refuse_loosening',
    description: 'Keeps the stricter rule.',
  },
  'settings.erasures': { id: 'list_erasures', description: 'Removals of persons.' },
  'settings.jobs': { id: 'list_jobs', description: 'Work that waits, runs or failed, and why.' },
  'job.retry': { id: 'retry_job', description: 'Tries a job now; one that waits for something else is 409.' },
  'erasure.create': { id: 'create_erasure', description: 'Removes what identifies a person.' },
};
