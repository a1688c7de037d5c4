import { cutSuffixes, firstLetters, inSteps, replacing, type Stem } from './cut-suffixes.ts';

/**
 * Light stemmers: they remove only the marks of number, case, gender and the commonest verb forms (J. Savoy, "Light
 * stemming approaches for the French, Portuguese, German and Hungarian languages", SAC 2006). Words are already folded,
 * so that ä is a and ß is ss. A stem need not be a word, but must be the same for all forms of one.
 */
const DOUBLED = replacing(/([^aeiou])\1$/, '$1');

/** Cuts the s of a plural or a genitive, but not an s that belongs to the word, as in Haus and Preis. */
const german: Stem = inSteps(
  replacing(/(?<![aeq])([aou])e/g, '$1'),
  replacing(/(?<=[a-z]{3}[bdfghklmnort])s$/, ''),
  cutSuffixes(3, 'ern em en er es e'),
  replacing(/(?<=[a-z]{3}[lr])n$/, ''),
);

/** Doubled vowels and the change of v to f and z to s follow from the ending (boom, bomen; huis, huizen). */
const dutch: Stem = inSteps(
  replacing(/'.*$/, ''),
  cutSuffixes(3, 'etjes etje tjes tje jes heden>heid'),
  cutSuffixes(3, 'en e s'),
  DOUBLED,
  replacing(/([aeou])\1/g, '$1'),
  replacing(/v$/, 'f'),
  replacing(/z$/, 's'),
);

const french: Stem = inSteps(
  replacing(/^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu)'/, ''),
  cutSuffixes(3, 'eaux>eau aux>al s x'),
  cutSuffixes(3, 'euse>eu ive>if e'),
  cutSuffixes(3, 'er ez e'),
  cutSuffixes(5, 'ent'),
  DOUBLED,
);

const SPANISH_FORMS = 'ando iendo ad id ar er ir an en';

const spanish: Stem = inSteps(
  cutSuffixes(3, 'ces>z os as es'),
  cutSuffixes(3, 'ando iendo o a e i'),
  cutSuffixes(3, SPANISH_FORMS),
);

const portuguese: Stem = inSteps(
  cutSuffixes(3, 'oes>ao aes>ao ais>al eis>el ois>ol ns>m res>r zes>z s'),
  cutSuffixes(3, 'ando endo indo ao>a o a e i'),
  cutSuffixes(3, 'ad id ar er ir am em'),
);

const italian: Stem = inSteps(
  replacing(/^[a-z]{1,6}'/, ''),
  cutSuffixes(3, 'ando endo chi>c che>c ghi>g ghe>g io ia ie a e i o'),
  cutSuffixes(3, 'at it ut ar er ir'),
);

const romanian: Stem = inSteps(
  cutSuffixes(3, 'urilor elor ilor ului urile uri iile ile ele lor lui ul ea le ei ii'),
  cutSuffixes(3, 'a e i u'),
);

/** One stemmer for Swedish, Danish and Norwegian, whose endings are alike. */
const nordic: Stem = inSteps(
  cutSuffixes(4, 's'),
  cutSuffixes(3, 'arna erna orna erne ene ar er or en et an a e'),
  DOUBLED,
);

/** Keeps the first six letters, because the consonant before an ending changes with it (kaupunki, kaupungissa). */
const finnish: Stem = inSteps(
  cutSuffixes(3, 'issa ista illa ilta ille iksi ssa sta lla lta lle ksi tta ihin iin een aan oon uun eja oja ien jen'),
  cutSuffixes(3, 'den ten n t'),
  replacing(/(?<=[a-z]{3})[aeiouy]+$/, ''),
  firstLetters(6),
);

const hungarian: Stem = inSteps(
  cutSuffixes(3, 'ban ben bol rol tol nak nek val vel hoz hez ert kent nal nel jat jet ra re ba be ig'),
  cutSuffixes(3, 'jaim jaid jait unk uk ok ek ak ot et at on en an om em am od ed ad k t n m d'),
  cutSuffixes(3, 'ja je a e o i'),
);

const polish: Stem = inSteps(
  cutSuffixes(3, 'iami ami iach ach ych ich iego ego iemu emu owie iow ow iom om iem em ym im iej ej ia ie iu io'),
  cutSuffixes(3, 'a e i o u y'),
);

/** Follows L. Dolamic and J. Savoy, "Indexing and stemming approaches for the Czech language", 2009. */
const czech: Stem = inSteps(
  cutSuffixes(3, 'atech ovi ove ech ich ami emi imi ymi ach ata aty eho emu ych ym im ho em es om um ou mi'),
  cutSuffixes(3, 'a e i o u y'),
);

/**
 * Keeps the first five letters, the best of simple stems (F. Can et al., "Information retrieval on Turkish texts",
 * 2008). It cuts endings first, so that short words meet too. The part after an apostrophe is an ending.
 */
const turkish: Stem = inSteps(
  replacing(/'.*$/, ''),
  cutSuffixes(
    2,
    'lerinde larinda lerin larin leri lari lerde larda lerden lardan ler lar nde nda den dan ten tan de da',
  ),
  cutSuffixes(3, 'nin nun yi yu si su in un i u'),
  firstLetters(5),
  replacing(/b$/, 'p'),
  replacing(/d$/, 't'),
  replacing(/g$/, 'k'),
);

export const LATIN_STEMMERS = {
  german,
  dutch,
  french,
  spanish,
  portuguese,
  italian,
  romanian,
  nordic,
  finnish,
  hungarian,
  polish,
  czech,
  turkish,
} as const;

/** A language of Latin letters with its own stemmer. English uses the stemmer of undecided texts. */
export type LatinLanguage = keyof typeof LATIN_STEMMERS;
