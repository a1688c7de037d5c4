import { cutSuffixes, inSteps, replacing, type Stem } from './cut-suffixes.ts';

/**
 * Light stemmers of scripts that nearly identify their language, so that even a query of one word gets the right
 * stemmer. Words are already folded: without accents, й as и, final sigma as σ, and all forms of alef as one letter.
 */
const CYRILLIC: Stem = inSteps(
  cutSuffixes(3, 'ся сь'),
  cutSuffixes(
    3,
    `иями ями ами иях ях ах иям ям ам ием ем ом ов ев ів ими ыми его ого ему ому ее ие ые ое еи ии ыи ои им ым их ых ую
юю ая яя ою ею ье ия ья ью ию ать ять ить еть ала яла али яли ало ил ила или ило ела ели ело ает яет ают яют ует уют`,
  ),
  cutSuffixes(3, 'а е и і о у ы ь ю я'),
);

/** Follows G. Ntais, "Development of a stemmer for the Greek language", 2006, but cuts only endings. */
const GREEK: Stem = cutSuffixes(
  2,
  `ατα ατοσ ατων ουσ εισ ουμε ουν ετε ησα ησε ησαν ων οσ ον ου οι ασ ησ εσ υσ αι ει α ε η ι ο υ ω`,
);

/**
 * The stemmer light10 of L. Larkey, L. Ballesteros, M. Connell, "Improving stemming for Arabic information retrieval",
 * 2002.
 */
const ARABIC: Stem = inSteps(
  replacing(/^و?(?:ال|بال|كال|فال|لل)(?=.{2})/u, ''),
  replacing(/^و(?=.{3})/u, ''),
  cutSuffixes(2, 'ها ان ات ون ين يه ه ي'),
);

const HEBREW: Stem = inSteps(
  replacing(/^(?:וה|שה|מה|כש|לכש|[הובכלמש])(?=.{3})/u, ''),
  cutSuffixes(2, 'ים ות'),
  cutSuffixes(3, 'ה ת י'),
  replacing(/ם$/u, 'מ'),
  replacing(/ן$/u, 'נ'),
  replacing(/ץ$/u, 'צ'),
  replacing(/ף$/u, 'פ'),
  replacing(/ך$/u, 'כ'),
);

/** Follows A. Ramanathan and D. Rao, "A lightweight stemmer for Hindi", 2003. */
const DEVANAGARI: Stem = cutSuffixes(
  2,
  `ियों ियां ाओं ाएं ुओं ुएं ाइयां ाइयों ाना ाने ानी ाता ाते ाती ता ते ती ना ने नी ों ें ीं ाई ाए ा े ी ि ो ु ू`,
);

/** Cuts particles of Korean words; the rest is then cut into pairs of characters. */
export const withoutKoreanParticle: Stem = cutSuffixes(
  1,
  '에서는 에서 에게 으로 까지 부터 처럼 보다 이나 은 는 이 가 을 를 에 의 도 와 과 로 만',
);

const SCRIPTS: readonly (readonly [whole: RegExp, stem: Stem])[] = [
  [/^\p{Script=Cyrillic}+$/u, CYRILLIC],
  [/^\p{Script=Greek}{4,}$/u, GREEK],
  [/^\p{Script=Arabic}+$/u, ARABIC],
  [/^\p{Script=Hebrew}+$/u, HEBREW],
  [/^[\p{Script=Devanagari}\p{M}]+$/u, DEVANAGARI],
];

/** Returns the stem of a word in a script other than Latin; the word itself if its script has no stemmer. */
export const scriptStem: Stem = (word) => {
  for (const [whole, stem] of SCRIPTS) if (whole.test(word)) return stem(word);
  return word;
};
