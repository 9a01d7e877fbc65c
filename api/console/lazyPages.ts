/** The pages that are loaded when the browser has nothing else to do, or when they are opened. Used by the router. */
import type { ComponentProps } from 'react';
import type { ApprovalsPage as ApprovalsPageType } from './approvals/ApprovalsPage.tsx';
import type { FlagsPageProps } from './flags/FlagsPage.tsx';
import type { PagesPageProps } from './pages/PagesPage.tsx';
import type { RecordsPage as RecordsPageType } from './records/RecordsPage.tsx';
import type { ResourcePage as ResourcePageType } from './records/ResourcePage.tsx';
import type { RunsPage as RunsPageType } from './runs/RunsPage.tsx';
import type { SettingsPageProps } from './SettingsPage.tsx';
import type { PaletteProps } from './shell/Shell.tsx';
import { loadedLater } from './ui/lazy.tsx';

export const ApprovalsPage = loadedLater<ComponentProps<typeof ApprovalsPageType>>(
  async () => (await import('./approvals/ApprovalsPage.tsx')).ApprovalsPage,
);

export const RecordsPage = loadedLater<ComponentProps<typeof RecordsPageType>>(
  async () => (await import('./records/RecordsPage.tsx')).RecordsPage,
);

export const ResourcePage = loadedLater<ComponentProps<typeof ResourcePageType>>(
  async () => (await import('./records/ResourcePage.tsx')).ResourcePage,
);

export const RunsPage = loadedLater<ComponentProps<typeof RunsPageType>>(
  async () => (await import('./runs/RunsPage.tsx')).RunsPage,
);

export const FlagsPage = loadedLater<FlagsPageProps>(async () => (await import('./flags/FlagsPage.tsx')).FlagsPage);

export const PagesPage = loadedLater<PagesPageProps>(async () => (await import('./pages/PagesPage.tsx')).PagesPage);

export const HomePage = loadedLater(async () => (await import('./home/HomePage.tsx')).HomePage);

export const BulksPage = loadedLater(async () => (await import('./bulks/BulksPage.tsx')).BulksPage);

export const BulkPage = loadedLater(async () => (await import('./bulks/BulksPage.tsx')).BulkPage);

export const SettingsPage = loadedLater<SettingsPageProps>(
  async () => (await import('./SettingsPage.tsx')).SettingsPage,
);

export const Palette = loadedLater<PaletteProps>(async () => (await import('./palette/Palette.tsx')).Palette);

export const SignedIn = loadedLater(async () => (await import('./shell/SignedIn.tsx')).SignedIn);
