/** Texts of the frame around every page, of signing in and of notices. Loaded with the page; used by the files of this folder. */
import type { ReactNode } from 'react';
import { count } from '../ui/plural.ts';

type InLink = (words: string) => ReactNode;

export const shellTexts = {
  console: 'Console',
  skip: 'Skip to the content',
  pageTitle: (environment: string) => `${environment} · Console`,
  offline: 'The customer’s app is offline. Actions and replies wait in a queue and go on when it is back.',
  offlineSince: (time: string) =>
    `The customer’s app is offline since ${time}. Actions and replies wait in a queue and go on when it is back.`,

  unreachable: 'The server can’t be reached. Nothing is changed until it is back; what you write is kept.',
  unreachableSince: (time: string) =>
    `The server can’t be reached; this page is as of ${time}. Nothing is changed until it is back; what you write is kept.`,

  connecting: 'connecting…',
  complete: (time: string) => `complete to ${time}`,
  completeAbout: 'Every change up to this moment is on this page.',
  noNetwork: 'offline',
  noNetworkSince: (time: string) => `offline, complete to ${time}`,
  notConnected: (time: string) => `not connected, complete to ${time}`,

  menu: 'All places',
  search: 'Go to anything',
  environment: 'Environment',
  /** The names of the places, by the first part of their address below the environment's. */
  places: {
    '': 'Home',
    items: 'All inboxes',
    records: 'Records',
    runs: 'Runs',
    approvals: 'Approvals',
    bulks: 'Bulks',
    flags: 'Flags',
    pages: 'Pages',
    settings: 'Settings',
  },
  inboxes: 'Inboxes',
  inboxCount: (active: number, overdue: number) => `${count(active)} open or waiting, ${count(overdue)} overdue`,
  ownView: 'Your view',
  sharedView: (who: string) => `A view that ${who} shares`,
  data: 'Data',
  decide: 'Decide',
  themes: { system: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' },
  themeAbout: 'Light, dark, or as the system has it',
  signOut: 'Sign out',

  signInTo: (environment: string) => `Sign in to ${environment}`,
  signInAgain: 'Your session has ended. What you typed is kept; sign in to go on.',
  email: 'E-mail',
  password: 'Password',
  signIn: 'Sign in',
  forgotPassword: 'Forgot your password?',
  continueWith: (provider: string) => `Continue with ${provider}`,
  wrongPassword: 'E-mail or password is wrong.',
  noEnvironment: 'You have no access to this environment.',
  signInFailed: (problem: string) => `Sign-in failed: ${problem}. Try again.`,
  noWindow: 'The browser opened no window. Allow this page to open one, and try again.',

  dismiss: 'Dismiss',
  nothingToUndo: 'There is nothing to undo.',
  roleChanged: (role: string) =>
    `Your role ${role} has been changed. What you may see and do here is different; what you typed is kept.`,
  roleIs: (role: string) =>
    `Your role is ${role} now. What you may see and do here is different; what you typed is kept.`,
  roleIsNone: 'Your role is none now. What you may see and do here is different; what you typed is kept.',
  /** Texts of the title of the browser's tab. */
  title: {
    noPage: 'No such page',
    withCount: (page: string, n: number) => `${page} (${count(n)})`,
    between: ' · ',
  },
  /** Texts in the place of a page or an inbox that is not there. */
  nowhere: {
    noPage: 'There is no such page',
    noInbox: (name: string) => `There is no inbox ${name} that you can see`,
    noInboxes: 'There is no inbox that you can see',
    goOn: (toItems: InLink, toHome: InLink) => (
      <>
        Go to {toItems('all inboxes')} or {toHome('home')}.
      </>
    ),
  },
  /** Texts of addresses that lead nowhere. */
  noAddress: {
    noPage: 'No such page',
    /** `toStart` makes a link of its words. */
    noPageAbout: (toStart: (words: string) => ReactNode) => (
      <>The address is not one of the console’s. Go back, or {toStart('begin at its start')}.</>
    ),
  },
};
