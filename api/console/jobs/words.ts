/** The states and kinds of jobs in plain words. Used by the page of jobs. */
import type { Job } from '../wire/types.ts';

type Tone = 'waits' | 'active' | 'failed' | 'unclear' | 'ended';

/** In the order of how soon somebody should look. */
export const jobStates: Readonly<Record<Job['state'], { readonly label: string; readonly tone: Tone }>> = {
  failed: { label: 'Failed', tone: 'failed' },
  stalled: { label: 'Stalled', tone: 'unclear' },
  delayed: { label: 'Later', tone: 'waits' },
  parked: { label: 'Waits for the app', tone: 'waits' },
  inLine: { label: 'In turn', tone: 'waits' },
  due: { label: 'Due', tone: 'ended' },
  queued: { label: 'Queued', tone: 'ended' },
  running: { label: 'Running', tone: 'active' },
};

export const jobKinds: Readonly<Record<Job['kind'], string>> = {
  actionRun: 'Run of an action',
  bulkChunk: 'Part of a bulk',
  replySend: 'Reply',
  triageItem: 'Triage',
  rampStep: 'Step of a ramp',
  erase: 'Erasure',
};

/** Returns what a job is about in a few words; without what the role doesn't see its kind. */
export const jobTitle = ({ about, kind }: Pick<Job, 'about' | 'kind'>): string => about?.sentence ?? jobKinds[kind];
