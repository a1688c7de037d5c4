/** The kinds of words from which forms of time are made. */
export type TimeKind =
  | 'number'
  | 'month'
  | 'weekday'
  | 'season'
  | 'which'
  | 'day'
  | 'unit'
  | 'ago'
  | 'at'
  | 'since'
  | 'before'
  | 'after'
  | 'between'
  | 'and';

/** Kinds that every language reads from digits: `2023-05-03` or `2023-05`, 1900 to 2199, and 1 to 31, also `3rd`. */
export type DigitKind = 'date' | 'year' | 'of_month';

/** How a form becomes a span of time. */
export type FormRule = 'calendar' | 'ago' | 'within' | 'relative' | 'day' | 'weekday';

export type TimeKinds = readonly (TimeKind | DigitKind)[];

/** The words of a language for times, in lower case. The rules are the same for all languages. */
export interface TimeLanguage {
  /**
   * The values of words by kind. Months count from 1, weekdays from 0 for Sunday. Seasons count from 0 for the one
   * that begins in March. `which` is -1 for the last, 0 for this, 1 for the next; `day` is 0 for today. Units are
   * lengths in days.
   */
  readonly words: { readonly [K in TimeKind]: ReadonlyMap<string, number> };
  /**
   * Months that are also verbs, such as `may`. They count as months after a preposition, `last`, `next` or a day of the
   * month, or with a year.
   */
  readonly verbs: ReadonlySet<string>;
  /** Words inside a form that have no meaning there. */
  readonly small: ReadonlySet<string>;
  /** Endings of the digits of a day of the month. */
  readonly ordinals: ReadonlySet<string>;
  /**
   * The forms, each as the kinds of its words in order. The first form that matches counts. `at` and `and` must stand
   * before the form, and are not part of it.
   */
  readonly forms: readonly (readonly [rule: FormRule, ...TimeKinds])[];
}
