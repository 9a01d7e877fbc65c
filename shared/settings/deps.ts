/** What a domain (approvals, items, records, replies, triage) needs of its process. */
import type { AppLink } from '../applink/link.ts';
import type { PlatformDeps } from '../platform/deps.ts';
import type { Directory } from './directory.ts';

export interface DomainDeps extends PlatformDeps {
  readonly directory: Directory;
  readonly link: AppLink;
}
