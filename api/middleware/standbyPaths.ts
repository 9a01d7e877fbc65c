/**
 * The paths that standbys serve: lists, searches, summaries and the audit log. A single row is read to be changed, and settings, people
 * and sessions say who may do what, so these stay with the primary, like all that comes with the live stream.
 */
export const standbyPaths: ReadonlySet<string> = new Set([
  '/items',
  '/items/summary',
  '/items/:id/timeline',
  '/items/:id/occurrences',
  '/search',
  '/tags',
  '/runs',
  '/approvals',
  '/flags/:flag/history',
  '/resources/:resource/list',
  '/resources/:resource/:id/related/:relation',
  '/audit',
]);
