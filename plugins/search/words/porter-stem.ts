/**
 * The stem of an English word by Porter's algorithm (M. F. Porter, "An algorithm for suffix stripping", Program 14(3),
 * 1980, with the departures of its author's own later implementation: `logi` and `bli`). Takes lower-case ASCII
 * letters; words of one or two letters are their own stems.
 */
export const porterStem = (word: string): string => {
  if (word.length < 3) return word;
  // A y that begins a word is always a consonant.
  const startsWithY = word.startsWith('y');
  let stem = startsWithY ? `Y${word.slice(1)}` : word;
  stem = pastAndProgressive(plural(stem));
  if (ENDS_IN_Y.test(stem)) stem = `${stem.slice(0, -1)}i`;
  stem = replaceSuffix(stem, DOUBLE_SUFFIX, DOUBLE_SUFFIXES);
  stem = replaceSuffix(stem, SIMPLE_SUFFIX, SIMPLE_SUFFIXES);
  stem = withoutLongSuffix(stem);
  stem = tidied(stem);
  return startsWithY ? `y${stem.slice(1)}` : stem;
};

const CONSONANT = '[^aeiou]';
const VOWEL = '[aeiouy]';
const CONSONANTS = `${CONSONANT}[^aeiouy]*`;
const VOWELS = `${VOWEL}[aeiou]*`;

/** The conditions m > 0, m = 1 and m > 1 of the paper, where m counts how often vowels are followed by consonants. */
const MEASURE_ABOVE_0 = new RegExp(`^(${CONSONANTS})?${VOWELS}${CONSONANTS}`);
const MEASURE_1 = new RegExp(`^(${CONSONANTS})?${VOWELS}${CONSONANTS}(${VOWELS})?$`);
const MEASURE_ABOVE_1 = new RegExp(`^(${CONSONANTS})?${VOWELS}${CONSONANTS}${VOWELS}${CONSONANTS}`);
const HAS_VOWEL = new RegExp(`^(${CONSONANTS})?${VOWEL}`);
/** Matches consonant, vowel, consonant at the end, the last of them not w, x or y. */
const ENDS_SHORT = new RegExp(`^${CONSONANTS}${VOWEL}[^aeiouwxy]$`);
const ENDS_IN_Y = new RegExp(`^(${CONSONANTS})?${VOWEL}.*y$|^${CONSONANTS}${VOWEL}.*y$`);

const plural = (word: string): string => {
  if (/(ss|i)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
};

const pastAndProgressive = (word: string): string => {
  if (word.endsWith('eed')) return MEASURE_ABOVE_0.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const suffix = /(ed|ing)$/.exec(word)?.[0];
  if (suffix === undefined) return word;
  const stem = word.slice(0, -suffix.length);
  if (!HAS_VOWEL.test(stem)) return word;
  if (/(at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (/([^aeiouylsz])\1$/.test(stem)) return stem.slice(0, -1);
  return ENDS_SHORT.test(stem) ? `${stem}e` : stem;
};

const DOUBLE_SUFFIXES: Readonly<Record<string, string>> = {
  ational: 'ate',
  tional: 'tion',
  enci: 'ence',
  anci: 'ance',
  izer: 'ize',
  bli: 'ble',
  alli: 'al',
  entli: 'ent',
  eli: 'e',
  ousli: 'ous',
  ization: 'ize',
  ation: 'ate',
  ator: 'ate',
  alism: 'al',
  iveness: 'ive',
  fulness: 'ful',
  ousness: 'ous',
  aliti: 'al',
  iviti: 'ive',
  biliti: 'ble',
  logi: 'log',
};

const SIMPLE_SUFFIXES: Readonly<Record<string, string>> = {
  icate: 'ic',
  ative: '',
  alize: 'al',
  iciti: 'ic',
  ical: 'ic',
  ful: '',
  ness: '',
};

/** The search runs from the left, so the first alternative that matches is the longest. */
const suffixPattern = (suffixes: Readonly<Record<string, string>>): RegExp =>
  new RegExp(`(${Object.keys(suffixes).join('|')})$`);

const DOUBLE_SUFFIX = suffixPattern(DOUBLE_SUFFIXES);
const SIMPLE_SUFFIX = suffixPattern(SIMPLE_SUFFIXES);

const replaceSuffix = (word: string, pattern: RegExp, suffixes: Readonly<Record<string, string>>): string => {
  const suffix = pattern.exec(word)?.[0];
  if (suffix === undefined) return word;
  const stem = word.slice(0, -suffix.length);
  return MEASURE_ABOVE_0.test(stem) ? stem + suffixes[suffix] : word;
};

const LONG_SUFFIX = /(al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ou|ism|ate|iti|ous|ive|ize)$/;

const withoutLongSuffix = (word: string): string => {
  const suffix = LONG_SUFFIX.exec(word)?.[0] ?? (/[st]ion$/.test(word) ? 'ion' : undefined);
  if (suffix === undefined) return word;
  const stem = word.slice(0, -suffix.length);
  return MEASURE_ABOVE_1.test(stem) ? stem : word;
};

const tidied = (word: string): string => {
  let stem = word;
  if (stem.endsWith('e')) {
    const before = stem.slice(0, -1);
    if (MEASURE_ABOVE_1.test(before) || (MEASURE_1.test(before) && !ENDS_SHORT.test(before))) stem = before;
  }
  return stem.endsWith('ll') && MEASURE_ABOVE_1.test(stem) ? stem.slice(0, -1) : stem;
};
