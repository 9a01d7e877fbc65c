/** The action sheet of a page, which opens for a request, and the list of actions to choose from; both are loaded later. Used by the inbox, the records and the runs. */
import { useCallback, useState, type ReactNode } from 'react';
import { loadedLater } from '../ui/lazy.tsx';
import type { ActionRequest } from './request.ts';

/** The list of actions to choose from. */
export const ActionPicker = loadedLater(async () => (await import('./ActionPickerDialog.tsx')).ActionPickerDialog);

const ActionSheet = loadedLater(async () => (await import('./ActionSheet.tsx')).ActionSheet);

/** `onClose`: called when the sheet has been closed. */
export const useActionSheet = (
  onClose?: () => void,
): { readonly open: (request: ActionRequest) => void; readonly sheet: ReactNode } => {
  const [request, setRequest] = useState<ActionRequest | null>(null);
  const open = useCallback((next: ActionRequest) => setRequest(next), []);
  const sheet = request !== null && (
    <ActionSheet
      // Another request is another form.
      key={JSON.stringify(request)}
      request={request}
      onOpen={open}
      onClose={() => {
        setRequest(null);
        onClose?.();
      }}
    />
  );
  return { open, sheet };
};
