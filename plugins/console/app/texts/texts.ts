import { LOCALE } from './language.ts';

export { ENGLISH, LOCALE, loadTexts, type Texts } from './language.ts';

type Values = Readonly<Record<string, string | number>>;

/** Fills values into a sentence. It names its places in braces, because their order differs between languages. */
export const fill = (text: string, values: Values): string =>
  text.replace(/\{([a-z]+)\}/g, (place, name: string) => {
    const value = values[name];
    if (value === undefined) return place;
    return typeof value === 'number' ? spellNumber(value) : isolated(value);
  });

/** Right-to-left letters, and marks that change the direction of text. */
const TURNS = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Keeps a value from changing the direction of the sentence around it. */
const isolated = (value: string): string =>
  TURNS.test(value) ? `\u2068${value.replaceAll(/[\u2066-\u2069]/g, '')}\u2069` : value;

/** The form of a sentence for a number, by the rules of the language; `{count}` stands for the number. */
export const plural = (forms: PluralForms, count: number): string =>
  fill(forms[PLURALS.select(count)] ?? forms.other, { count });

/** English has two forms; other languages have more, or `other` alone. */
type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

export const spellNumber = (value: number): string => NUMBERS.format(value);

/** Formats a part of 1 as a percentage. */
export const spellShare = (share: number): string => SHARES.format(share);

const SHARES = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 });
const NUMBERS = new Intl.NumberFormat(LOCALE);
const PLURALS = new Intl.PluralRules(LOCALE);
