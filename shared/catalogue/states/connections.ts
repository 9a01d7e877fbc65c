/** The states of an app's connection, as predicates over its row. Used by shared/app/link/presence.ts and the sweeps. */
import { defineMachine } from './machine.ts';

/** Returns SQL for whether the row had a heartbeat after the time `since`. */
export const isOnlineSql = (row: string, since: string): string => `${row}.seen_at > ${since}`;

export const connections = defineMachine({
  name: 'app connections',
  table: 'app_connections',
  states: {
    online: {
      kind: 'active',
      meaning: 'its process renews the row',
      where: isOnlineSql,
    },
    silent: {
      kind: 'waiting',
      meaning: 'its process is killed, frozen or without PostgreSQL: the connection counts as gone',
      where: (row, since) => `not ${isOnlineSql(row, since)}`,
    },
  },
  transitions: [
    { from: null, to: 'online', why: 'the app registers' },
    { from: null, to: 'online', why: 'its process is back after the sweep' },
    { from: 'online', to: 'silent', why: 'no heartbeat in time', byTime: true },
    { from: 'silent', to: 'online', why: 'a late heartbeat' },
    { from: 'online', to: null, why: 'the socket is closed' },
    { from: 'online', to: null, why: 'its instance has a new socket' },
    { from: 'silent', to: null, why: 'swept' },
    { from: 'silent', to: null, why: 'its instance has a new socket' },
  ],
});
