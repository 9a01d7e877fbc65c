/** The subject of an answer. Used by the operation reply, the demo's data and the SDK's test app. */

/** What mail programs of common languages put before the subject of an answer. */
const words =
  're|aw|antw|antwort|sv|vs|vá|res|rép|rif|r|odp|ynt|yanıt|atb|bls|tl|răsp|отв|ответ|απ|σχετ|השב|رد|回复|回覆|答复|答覆|返信|회신|답장';
/** Such a word, a number such as that of `Re[2]:`, and a colon; before it at most the name of a list or a ticket. */
const prefix = new RegExp(`^(?:\\[[^\\]]{0,100}\\]\\s*)?(?:${words})\\s?(?:[[(^]?\\d{1,3}[\\])]?)?\\s?[:：]`, 'iu');

/** Returns the subject of an answer to a title: one line of at most so many characters, with one prefix. */
export const replySubject = (title: string, charactersMax: number): string => {
  const line = title
    .replaceAll(/[\u0000-\u001f\u007f]+/g, ' ')
    .trim()
    .normalize('NFC');
  return (prefix.test(line) ? line : `Re: ${line}`).slice(0, charactersMax).toWellFormed();
};
