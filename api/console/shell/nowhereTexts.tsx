/** Texts in the place of a page or an inbox that is not there. Loaded with the page; used by Nowhere and InboxPage. */
import type { ReactNode } from 'react';

type InLink = (words: string) => ReactNode;

export const nowhereTexts = {
  noPage: 'There is no such page',
  noInbox: (name: string) => `There is no inbox ${name} that you can see`,
  noInboxes: 'There is no inbox that you can see',
  goOn: (toItems: InLink, toHome: InLink) => (
    <>
      Go to {toItems('all inboxes')} or {toHome('home')}.
    </>
  ),
};
