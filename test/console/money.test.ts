/** Amounts of money in the console: written the same wherever they stand, whether the app gives a number or a text. */
import { expect } from 'chai';
import { moneyText } from '../../api/console/content/values.ts';

describe('an amount of money in the console', () => {
  it('has the decimals of its currency, or none where they are all 0, and its code', () => {
    expect(moneyText(105.3, 'GBP')).to.equal('105.30 GBP');
    expect(moneyText(129, 'EUR')).to.equal('129 EUR');
    expect(moneyText(252_010, 'JPY')).to.equal('252,010 JPY');
    expect(moneyText(1.5, 'KWD')).to.equal('1.500 KWD');
    expect(moneyText(-0.0015, 'USD')).to.equal('-0.0015 USD');
  });

  it('has two decimals where nobody says a currency', () => {
    expect(moneyText(105.3, undefined)).to.equal('105.30');
    expect(moneyText(9, 'euros')).to.equal('9');
  });

  it('is read from a text that is one, and left as it is where it is another', () => {
    expect(moneyText('12.5 EUR', undefined)).to.equal('12.50 EUR');
    expect(moneyText('1200 EUR', 'GBP')).to.equal('1,200 EUR');
    for (const other of ['free', '12', '12 euros', null, true]) expect(moneyText(other, 'EUR')).to.equal(null);
  });
});
