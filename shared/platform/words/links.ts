/** Links in what others wrote: which addresses may be opened, where they lead, and those that stand in a text. Used by Markdown and the console. */

/** Links of one text; further ones stay text. */
const linksMax = 1_000;

/** Returns the URL of an address that may be opened, one of the web or of mail; null for any other. */
export const openableUrl = (address: string): URL | null => {
  const url = URL.canParse(address) ? new URL(address) : null;
  return url !== null && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url : null;
};

/**
 * Returns where a link leads, the host of a web address or the address of a mail, unless the words of the link are exactly
 * that, or the address itself. Hosts are compared whole, in the form that the browser asks for.
 */
export const hostToShow = (words: string, address: string): string | null => {
  const url = openableUrl(address);
  if (url === null) return null;
  const { protocol, host, pathname, href, username, password } = url;
  const target = protocol === 'mailto:' ? pathname : host;
  const said = words.trim().replace(/^(?:https?:\/\/|mailto:)/i, '');
  if (said === target) return null;
  const isAddress =
    protocol !== 'mailto:' &&
    username + password === '' &&
    said.startsWith(host) &&
    /^[/?#]/.test(said.slice(host.length)) &&
    openableUrl(`${protocol}//${said}`)?.href === href;
  return isAddress ? null : target;
};

/** Each sign is looked at a bounded number of times: no match begins inside a run of signs that another has begun with. */
const addresses =
  /(?<![\p{L}\p{N}])(?:https?:\/\/|www\.)[^\s\p{C}<>"“”„«»「」、。，]+|(?<![\w.%+@-])[\w.%+-]{1,64}@(?:[A-Za-z0-9-]+\.)+(?:[A-Za-z]{2,}|xn--[A-Za-z0-9-]+)(?![\w-])/giu;

/** Returns an address without the punctuation of the sentence around it; a bracket stays that was opened inside. */
const withoutPunctuation = (address: string): string => {
  let extra = address.split(')').length - address.split('(').length;
  let end = address.length;
  for (; end > 0; end--) {
    const last = address.charAt(end - 1);
    if (last === ')' && extra > 0) extra--;
    else if (!`.,;:!?…'’*_~]}`.includes(last)) break;
  }
  return address.slice(0, end);
};

const addressOf = (text: string): string => {
  if (/^https?:/i.test(text)) return text;
  return /^www\./i.test(text) ? `http://${text}` : `mailto:${text}`;
};

interface FoundLink {
  readonly text: string;
  readonly href: string;
}

/** Returns a text in pieces, of which those that are addresses are links. Together they are the text as it was written. */
export const findLinks = (text: string): readonly (string | FoundLink)[] => {
  const pieces: (string | FoundLink)[] = [];
  let from = 0;
  let left = linksMax;
  for (const { 0: match, index } of text.matchAll(addresses)) {
    if (left-- === 0) break;
    const found = withoutPunctuation(match);
    const url = openableUrl(addressOf(found));
    if (url === null) continue;
    pieces.push(text.slice(from, index), { text: found, href: url.href });
    from = index + found.length;
  }
  return [...pieces, text.slice(from)].filter((piece) => piece !== '');
};
