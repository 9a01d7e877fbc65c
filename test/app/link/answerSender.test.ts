/** Tests of the sender of relayed answers: how many are sent at once, in which order, and until when. */
import { expect } from 'chai';
import { AnswerSender } from '../../../shared/app/link/answerSender.ts';
import { until } from '../../support/until.ts';

describe('app link: the sender of answers', () => {
  let sent: string[];
  let sender: AnswerSender;
  const large = (mark: string): string => mark.repeat(3_000_000);
  beforeEach(() => {
    sent = [];
    sender = new AnswerSender((process, text) => sent.push(`${process} ${text.slice(0, 1)}`));
  });
  afterEach(() => {
    sender.close();
  });

  it('sends few large ones at once to a process, in turn, and others beside them', () => {
    for (const mark of ['a', 'b', 'c']) sender.send('near', mark, large(mark));
    sender.send('near', 's', 's');
    sender.send('far', 'd', large('d'));
    expect(sent).to.deep.equal(['near a', 'far d']);
    sender.acknowledge('near', 'b');
    sender.acknowledge('away', 'a');
    expect(sent).to.have.length(2);
    sender.acknowledge('near', 'a');
    expect(sent.slice(2)).to.deep.equal(['near b']);
    sender.acknowledge('near', 'b');
    expect(sent.slice(3)).to.deep.equal(['near c', 'near s']);
  });

  it('sends nothing once it is closed', () => {
    sender.close();
    sender.send('near', 'a', 'a');
    expect(sent).to.deep.equal([]);
  });

  it('sends one again until it is acknowledged, four times at most, and forgets those behind it where nobody is', async () => {
    sender.send('gone', 'a', large('a'));
    sender.send('gone', 'b', large('b'));
    sender.send('near', 'c', large('c'));
    sender.send('near', 'd', large('d'));
    await until('it is sent again', () => sent.filter((one) => one === 'near c').length === 2);
    sender.acknowledge('near', 'c');
    sender.acknowledge('near', 'd');
    sender.send('near', 'e', 'e');
    await until('it is sent four times', () => sent.filter((one) => one === 'near e').length === 4, 30_000);
    expect(sent.filter((one) => one.startsWith('gone'))).to.deep.equal(Array(4).fill('gone a'));
    expect(sent.slice(sent.indexOf('near d')).filter((one) => one.startsWith('near'))).to.deep.equal([
      'near d',
      ...Array<string>(4).fill('near e'),
    ]);
  });
});
