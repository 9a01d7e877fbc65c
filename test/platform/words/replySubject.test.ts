/** The subject of an answer: one prefix, whatever language the mail program before has spoken. */
import { expect } from 'chai';
import { replySubject } from '../../../shared/platform/words/texts.ts';

describe('the subject of an answer', () => {
  it('has the prefix that stands there already, in the languages of mail programs', () => {
    const titles = [
      'Re: a;RE: a;re:a;RE : a;Re[2]: a;Re(3): a;Re^4: a;AW: a;Antw: a;Antwort: a;SV: a;VS: a;RES: a;RÉP: a;R: a;RIF: a',
      'ODP: a;Odp: a;YNT: a;Vá: a;Va\u0301: a;BLS: a;TL: a;RĂSP: a;Ответ: a;ΑΠ: a;απ: a;השב: a;رد: a',
      '回复:a;回复：a;答复: a;返信: a;회신: a;[ticket 12] Re: a;Re: Re: a',
    ].flatMap((line) => line.split(';'));
    for (const title of titles) expect(replySubject(title, 500), title).to.equal(title.normalize('NFC'));
  });

  it('gets one in all other cases', () => {
    for (const title of [
      'a',
      'Re',
      'Report: a',
      'Ref: a',
      'Fwd: a',
      'RE a',
      'Are: a',
      'Rex: a',
      'a Re: b',
      '',
      'S V: a',
      'Restart: a',
    ])
      expect(replySubject(title, 500), title).to.equal(`Re: ${title}`);
  });

  it('is one line of the length that is asked for, without half a character', () => {
    expect(replySubject('a\r\nBcc: b\u0000\tc', 500)).to.equal('Re: a Bcc: b c');
    expect(replySubject(`${'x'.repeat(495)}😀`, 500)).to.equal(`Re: ${'x'.repeat(495)}\ufffd`);
    expect(replySubject('['.repeat(100_000), 10)).to.equal('Re: [[[[[[');
  });
});
