/** The console's first script: shows the page of the address. Built by shared/tools/services/buildConsole.mjs. */
import { CSPProvider } from '@base-ui/react/csp-provider';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './router.tsx';
import { applyTheme } from './shell/theme.ts';

applyTheme();
const place = document.getElementById('console');
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <RouterProvider router={router} />
      </CSPProvider>
    </StrictMode>,
  );
