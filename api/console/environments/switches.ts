/** The three switches of an environment with their labels and explanations. Used by the pages of environments. */
export const switches = [
  {
    name: 'independentApproval',
    label: 'Independent approval',
    about: 'who made or changed an agent in the last 30 days can’t decide its requests, nor can whom they let in',
  },
  {
    name: 'acceptNew',
    label: 'New names wait',
    about: 'agents use new actions and flags only after a person has accepted them',
  },
  {
    name: 'trustApp',
    label: 'Trust the app',
    about: 'its app may loosen what it declares without a person; what waits already goes on waiting',
  },
] as const;
