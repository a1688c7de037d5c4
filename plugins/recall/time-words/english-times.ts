import type { TimeLanguage } from './time-language.ts';

const counted = (words: string, from = 0): [string, number][] => words.split(' ').map((word, at) => [word, at + from]);
const all = (words: string, value = 0): [string, number][] => words.split(' ').map((word) => [word, value]);

const MONTHS = 'january february march april may june july august september october november december';
const SHORT_MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec';
const NUMBERS = 'one two three four five six seven eight nine ten eleven twelve';

/** English, with day and month in either order. */
export const ENGLISH_TIMES: TimeLanguage = {
  words: {
    number: new Map([...counted(NUMBERS, 1), ...all('a an', 1), ['couple', 2], ['few', 3]]),
    month: new Map([...counted(MONTHS, 1), ...counted(SHORT_MONTHS, 1), ['sept', 9]]),
    weekday: new Map([
      ...counted('sunday monday tuesday wednesday thursday friday saturday'),
      // Sunday is near enough.
      ['weekend', 6],
    ]),
    season: new Map([...counted('spring summer autumn winter'), ['fall', 2]]),
    which: new Map([...all('last past previous', -1), ['this', 0], ...all('next coming', 1)]),
    day: new Map([...all('today tonight'), ['yesterday', -1], ['tomorrow', 1]]),
    unit: new Map([
      ...all('day days night', 1),
      ...all('week weeks', 7),
      ...all('month months', 30),
      ...all('year years', 365),
    ]),
    ago: new Map(all('ago')),
    at: new Map(all('in on at of by during around since before after between until till from')),
    since: new Map(all('since')),
    before: new Map(all('before until till')),
    after: new Map(all('after')),
    between: new Map(all('between from')),
    and: new Map(all('and to until till')),
  },
  verbs: new Set(['may', 'march']),
  small: new Set('the of early late mid beginning start middle end'.split(' ')),
  ordinals: new Set(['st', 'nd', 'rd', 'th']),
  forms: [
    ['ago', 'number', 'unit', 'ago'],
    ['within', 'which', 'number', 'unit'],
    ['calendar', 'date'],
    ['calendar', 'of_month', 'month', 'year'],
    ['calendar', 'month', 'of_month', 'year'],
    ['calendar', 'month', 'year'],
    ['calendar', 'of_month', 'month'],
    ['calendar', 'month', 'of_month'],
    ['calendar', 'season', 'year'],
    ['relative', 'which', 'unit'],
    ['relative', 'which', 'season'],
    ['relative', 'which', 'month'],
    ['relative', 'which', 'weekday'],
    ['day', 'day'],
    ['calendar', 'at', 'month'],
    ['calendar', 'at', 'season'],
    ['calendar', 'at', 'year'],
    ['weekday', 'at', 'weekday'],
    ['calendar', 'and', 'month'],
    ['calendar', 'and', 'year'],
  ],
};
