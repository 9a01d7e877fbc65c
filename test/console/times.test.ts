/** Times of the console's forms in the zone of a person. */
import { expect } from 'chai';
import { typedTime } from '../../api/console/inbox/typedTime.ts';
import { agoInWords, axisTimes } from '../../api/console/ui/time.ts';
import { adoptTimeZone, deviceZone, timeZone } from '../../api/console/ui/timeZone.ts';
import { daysLaterAt, fromLocalTime, toLocalTime, weekday } from '../../api/console/ui/wallTime.ts';

describe('times of the console', () => {
  afterEach(() => {
    adoptTimeZone({});
  });

  it('are the device’s without a preference, and with one that does not exist', () => {
    for (const preferences of [{}, { timeZone: 'Mars/Olympus' }, { timeZone: 7 }, { timeZone: '' }]) {
      adoptTimeZone(preferences);
      expect(timeZone()).to.equal(deviceZone());
    }
  });

  it('stand in a form as a clock of the zone shows them, and are read back', () => {
    adoptTimeZone({ timeZone: 'Asia/Kathmandu' });
    const at = Date.UTC(2026, 10, 23, 20, 30);
    expect(toLocalTime(at)).to.equal('2026-11-24T02:15');
    expect(fromLocalTime('2026-11-24T02:15')).to.equal(at);
    expect(weekday(at)).to.equal(2);
    expect(toLocalTime(Number.NaN)).to.equal('');
    expect(Number.isNaN(fromLocalTime('tomorrow'))).to.equal(true);
  });

  it('move on by days of the calendar where the clock changes', () => {
    adoptTimeZone({ timeZone: 'Europe/Berlin' });
    const saturday = Date.UTC(2026, 2, 28, 22, 30);
    expect(toLocalTime(daysLaterAt(saturday, 1, 9))).to.equal('2026-03-29T09:00');
    expect(daysLaterAt(saturday, 1, 9)).to.equal(Date.UTC(2026, 2, 29, 7));
  });

  it('that a clock skips or shows twice are a moment all the same', () => {
    adoptTimeZone({ timeZone: 'Europe/Berlin' });
    expect(fromLocalTime('2026-03-29T02:30')).to.equal(Date.UTC(2026, 2, 29, 1, 30));
    expect(fromLocalTime('2026-10-25T02:30')).to.equal(Date.UTC(2026, 9, 25, 0, 30));
  });

  it('that somebody types for a snooze are read as they are meant', () => {
    adoptTimeZone({ timeZone: 'Europe/Berlin' });
    // A Saturday, 13:30 in Berlin.
    const now = fromLocalTime('2026-11-28T13:30');
    const read = (text: string): string | null => {
      const id = typedTime(text, now)?.id;
      return id === undefined ? null : toLocalTime(Number(id));
    };
    const meant = {
      '17:00': '2026-11-28T17:00',
      '9am': '2026-11-29T09:00',
      '2h': '2026-11-28T15:30',
      tomorrow: '2026-11-29T09:00',
      'Tomorrow 9am': '2026-11-29T09:00',
      'tomorrow at 14:15': '2026-11-29T14:15',
      'today 18:00': '2026-11-28T18:00',
      monday: '2026-11-30T09:00',
      'monday 10': '2026-11-30T10:00',
      'next fri, 8:30': '2026-12-04T08:30',
      saturday: '2026-12-05T09:00',
      'dec 12': '2026-12-12T09:00',
      '12 mar 9:30': '2027-03-12T09:30',
      '2026-12-24 08:00': '2026-12-24T08:00',
    };
    for (const [text, at] of Object.entries(meant)) expect(read(text), text).to.equal(at);
    for (const text of ['', 'soon', 'mo', 'monday 25', 'tomorrow tomorrow', 'today 99am', 'friday 9 10'])
      expect(read(text), text).to.equal(null);
    expect(typedTime('today 9:00', now)?.why).to.equal('this time is past');
  });

  it('that have passed are told in the words of a sentence', () => {
    const now = Date.UTC(2026, 10, 24, 12);
    const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
    const told = [-1, 0, minute, 8 * minute, 3 * hour, day, 6 * day].map((ms) => agoInWords(now - ms, now));
    expect(told).to.deep.equal([
      'just now',
      'just now',
      '1 minute ago',
      '8 minutes ago',
      '3 hours ago',
      '1 day ago',
      '6 days ago',
    ]);
    expect(agoInWords(now - 9 * day, now)).to.match(/^on .*15/);
  });

  it('stand along an axis as far apart as they are, in the language and zone of the page', () => {
    const zone = 'Asia/Kathmandu';
    adoptTimeZone({ timeZone: zone });
    const as = (options: Intl.DateTimeFormatOptions, ...at: readonly number[]): string[] =>
      at.map((one) => new Intl.DateTimeFormat(undefined, { ...options, timeZone: zone }).format(one));
    const [day, clock] = [
      { day: 'numeric', month: 'short' },
      { hour: 'numeric', minute: '2-digit' },
    ] as const;
    const hour = 3_600_000;
    // Midnight is at 18:15 UTC.
    const evening = Date.UTC(2026, 10, 23, 16, 15);
    const hours = [0, 1, 2, 3].map((n) => evening + n * hour);
    const [first, second, third, fourth] = as(clock, ...hours);
    const [today, tomorrow] = as(day, evening, evening + 2 * hour);
    expect(axisTimes(hours, hour)).to.deep.equal([
      `${String(first)}\n${String(today)}`,
      second,
      `${String(third)}\n${String(tomorrow)}`,
      fourth,
    ]);
    expect(axisTimes([evening], 1_000)[0]).to.include(String(as({ ...clock, second: '2-digit' }, evening)[0]));
    const days = [Date.UTC(2024, 11, 30, 20), Date.UTC(2024, 11, 31, 20), Date.UTC(2025, 0, 1, 20)];
    const year = { ...day, year: 'numeric' } as const;
    expect(axisTimes(days, 24 * hour)).to.deep.equal([
      ...as(year, days[0] ?? 0, days[1] ?? 0),
      ...as(day, days[2] ?? 0),
    ]);
    expect(axisTimes(days, 31 * 24 * hour)).to.deep.equal(as({ month: 'short', year: 'numeric' }, ...days));
    expect(axisTimes(days, 366 * 24 * hour)).to.deep.equal(as({ year: 'numeric' }, ...days));
  });
});
