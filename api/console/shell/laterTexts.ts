/** Texts of parts that are loaded later: the sheet of keys, the sign-in by a link or anew, what copies a request, and the frame of the settings. */
import type { SignInProblem } from '../../../shared/accounts/openId/problems.ts';

export const laterTexts = {
  /** What commands do, by scope and key, in the order in which they are listed. */
  keys: {
    list: { '/': 'search', l: 'show what is new' },
    item: {
      e: 'close',
      w: 'set the state',
      a: 'assign',
      t: 'tags',
      s: 'snooze',
      r: 'reply',
      n: 'note',
      x: 'select',
      X: 'select everything from the last one to here',
      '*': 'select all that match',
    },
    actions: {
      d: 'run an action',
    },
    run: {
      c: 'cancel the run',
      r: 'run again',
    },
    approval: {
      a: 'approve',
      r: 'reject',
      n: 'write a note',
      x: 'select, to decide several together',
    },
    agent: {
      s: 'supervised',
      m: 'normal',
      o: 'read-only',
      r: 'show what it reads',
      Backspace: 'revoke',
    },
    notice: {
      y: 'do mine, where somebody else was faster',
      h: 'leave theirs',
    },
    job: {
      r: 'try the job now',
      o: 'open what the job is about',
    },
  },
  /** Texts of the sheet of all keys. */
  help: {
    keys: 'Keys',
    move: 'Move',
    item: 'Item',
    recordAndRun: 'Record, run',
    approval: 'Approval',
    agent: 'Agent',
    job: 'Job',
    conflict: 'Conflict',
    step: 'next and previous item',
    palette: 'go anywhere, find anything, run a command',
    undo: 'undo the last change',
    escape: 'close what is open',
  },
  /** Texts of setting a password without a session. */
  passwordLink: {
    email: 'E-mail',
    password: 'New password',
    forgot: {
      title: 'Set a new password',
      about: 'We send you a link by which you choose a new password.',
      deed: 'Send the link',
      sent: 'If somebody here has this address, a mail with a link is on its way. The link works for an hour.',
      back: 'Back to sign-in',
    },
    invitation: {
      title: 'Welcome',
      about: 'Choose a password of at least 8 characters. You are signed in then.',
      deed: 'Set the password and sign in',
    },
    reset: {
      title: 'Set a new password',
      about: 'Choose a password of at least 8 characters. It ends all your other sessions.',
      deed: 'Set the password and sign in',
    },
  },
  /** Texts of the sign-in that some changes need anew. */
  freshSignIn: {
    title: 'Confirm that it is you',
    about: 'This needs a sign-in that is not older than 15 minutes. It goes on by itself afterwards.',
    deed: 'Go on',
  },
  /** Texts of what copies a request. */
  copy: {
    asCurl: 'Copy as curl',
    asCall: 'Copy as MCP call',
    copiedCurl: 'Copied: a curl line, with the token in $CONSOLE_TOKEN.',
    copiedCall: 'Copied: a call of a tool.',
    refused: 'This browser does not let the page write to the clipboard.',
  },
  /** The text of the banner that says that nobody decides independently yet. */
  independence: {
    /** For those who manage settings. */
    awaitsDecider:
      'One person alone can decide here, also what their own agents ask for. Independent approval begins once a second person can sign in and decide. Then neither of them decides what these agents ask for, if one let the other in: see the environment’s settings.',
  },
  /** Why a sign-in by the provider has failed, by the API's word for it. */
  signInProblem: {
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
  } satisfies Readonly<Record<SignInProblem | 'other', string>>,
  /** Texts of the page on which the provider's window ends. */
  signedIn: { title: 'Sign-in', done: 'You are signed in. Close this window and go on where you were.' },
  /** Texts around the sections of the settings. */
  settings: {
    noSection: 'No such settings',
    noSectionAbout: 'The address names none of them. Choose one above.',
  },
};
