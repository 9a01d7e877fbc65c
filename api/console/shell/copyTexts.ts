/** Texts of what copies a request. Used by useCopies.ts. */
export const copyTexts = {
  asCurl: 'Copy as curl',
  asCall: 'Copy as MCP call',
  copiedCurl: 'Copied: a curl line, with the token in $CONSOLE_TOKEN.',
  copiedCall: 'Copied: a call of a tool.',
  refused: 'This browser does not let the page write to the clipboard.',
};
