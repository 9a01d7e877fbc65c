/** The operations of sign-in and settings, for the documents. Read by index.ts. */
import type { OperationTexts } from './operation.ts';

const once = 'Its token is shown once.';

export const settingsOperations: OperationTexts = {
  'signIn.methods': { id: 'get_sign_in_methods', description: 'How people sign in.' },
  'signIn.oidc': {
    id: 'sign_in_by_provider',
    description: 'Sends a browser to the provider, and back with a cookie.',
  },
  'person.signIn': {
    id: 'sign_in',
    description: 'A session’s token, set as a cookie too. Too many wrong tries are 429.',
  },
  'person.freshSignIn': {
    id: 'sign_in_fresh',
    description: 'Makes the session fresh, as dangerous actions and settings need.',
  },
  'person.signOut': {
    id: 'sign_out',
    description: 'Ends this session, its streams included, and takes the cookie away.',
  },
  'settings.agents': {
    id: 'list_agents',
    description: 'The agents of your environments.',
  },
  'agent.create': {
    id: 'create_agent',
    description: `Makes an agent with a role and a mode. ${once}`,
  },
  'agent.rotate': {
    id: 'rotate_agent_token',
    description: 'Gives an agent another token; the former ends after `grace`.',
  },
  'agent.update': {
    id: 'update_agent',
    description: 'Changes what is given within a second, for open streams too.',
  },
  'agent.activity': {
    id: 'list_agent_activity',
    description: 'What an agent changed, asked for and was refused. For `audit: see`.',
  },
  'agent.revoke': {
    id: 'revoke_agent',
    description: 'Ends an agent, its tokens and its streams within a second.',
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
    description: 'The people of your environments who may sign in.',
  },
  'person.create': {
    id: 'create_account',
    description: 'Lets a person in, with a role and environments.',
  },
  'person.update': {
    id: 'update_account',
    description: 'Changes what is given. An environment’s last admin stays one.',
  },
  'person.revoke': {
    id: 'remove_account',
    description: 'Takes a person’s access away.',
  },
  'settings.appKeys': {
    id: 'list_app_keys',
    description: 'The keys by which apps connect to this environment.',
  },
  'appKey.create': {
    id: 'create_app_key',
    description: `Makes a key for an app of this environment. ${once}`,
  },
  'appKey.rotate': {
    id: 'rotate_app_key',
    description: 'Gives an app key another token; the former ends after `grace`.',
  },
  'appKey.update': {
    id: 'update_app_key',
    description: 'Changes the name of an app key.',
  },
  'appKey.revoke': {
    id: 'revoke_app_key',
    description: 'Ends an app key and its connections within a second.',
  },
  'settings.environments': {
    id: 'list_environments',
    description: 'Your environments.',
  },
  'environment.create': {
    id: 'create_environment',
    description: 'Makes an empty environment; its app declares what is in it.',
  },
  'environment.update': {
    id: 'update_environment',
    description: 'Changes what an environment demands.',
  },
  'settings.loosenings': {
    id: 'list_loosenings',
    description: 'What the app declares less strictly than the rule in force.',
  },
  'loosening.accept': {
    id: 'accept_loosening',
    description: 'Puts the declared value in force.',
  },
  'loosening.refuse': {
    id: 'refuse_loosening',
    description: 'Keeps the stricter rule until the declared value changes.',
  },
};
