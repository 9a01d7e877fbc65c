/** The sample app's views. */
import type { View } from '../../shared/sdk/index.ts';

export const views: Readonly<Record<string, View>> = {
  open: { label: 'Open', state: 'open,investigating,requested,review,reported', snoozed: '0', sort: '-lastSeen' },
  mine: {
    label: 'Mine',
    assignee: 'me',
    state: 'open,investigating,requested,review,reported,waiting,awaiting_release,approved,contacted,escalated',
    snoozed: '0',
    sort: 'due',
  },
  unassigned: {
    label: 'Unassigned',
    assignee: 'none',
    state: 'open,investigating,requested,review,reported',
    snoozed: '0',
    sort: 'firstSeen',
  },
  overdue: { label: 'Overdue', overdue: '1', snoozed: '0', sort: 'due' },
  waiting: {
    label: 'Waiting',
    state: 'waiting,awaiting_release,approved,contacted,escalated',
    snoozed: '0',
    sort: 'lastSeen',
  },
  snoozed: { label: 'Snoozed', snoozed: '1', sort: '-lastSeen' },
  triaged: { label: 'Closed by triage', triaged: '1', sort: '-lastSeen' },
  'support-queue': { label: 'Support queue', inbox: 'support', state: 'open', snoozed: '0', sort: 'due' },
  vip: { label: 'VIP customers', inbox: 'support', tags: 'vip', state: 'open,waiting', snoozed: '0', sort: 'due' },
  regressions: {
    label: 'Regressions',
    inbox: 'errors',
    tags: 'regression',
    state: 'open,investigating,awaiting_release',
    snoozed: '0',
    sort: '-occurrences',
  },
  loudest: { label: 'Loudest errors', inbox: 'errors', state: 'open,investigating', snoozed: '0', sort: '-users' },
  'to-pay': { label: 'Refunds to pay', inbox: 'refunds', state: 'approved', snoozed: '0', sort: 'firstSeen' },
};
