/**
 * Returns true if a fact concerns the subject of a prompt. The score of a recall cannot tell: it compares facts with
 * each other, so the best of several unrelated facts has a high score too. Words are compared without endings, and CJK
 * text by pairs of characters.
 */
export const isAbout = (prompt: string, text: string): boolean => {
  const sought = contentWords(prompt);
  if (sought.length === 0) return false;
  const held = contentWords(text);
  const shared = sought.filter((word) => held.some((other) => isSameStem(word, other))).length;
  return shared >= ENOUGH_WORDS || (shared > 0 && shared >= ENOUGH_SHARE * sought.length);
};

/** True if the text holds every word of the name. */
export const mentions = (text: string, name: string): boolean => {
  const held = new Set(wordsOf(text));
  const named = wordsOf(name);
  return named.length > 0 && named.every((word) => held.has(word));
};

/**
 * Returns the length of a text in characters. A character of a script without spaces counts as three, because it
 * carries about as much meaning as a short word.
 */
export const saidLength = (text: string): number => text.length + 2 * (text.match(UNSPACED)?.length ?? 0);

const ENOUGH_WORDS = 2;
const ENOUGH_SHARE = 1 / 3;
const SHORTEST = 3;
const SHORTEST_STEM = 4;
const LONGEST_ENDING = 3;
const MAX_WORDS = 200;

const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/gu;
const UNSPACED_RUN = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]+$/u;
const WORDS =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]+|[\p{L}\p{M}\p{N}]+/gu;

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(WORDS) ?? [];

const contentWords = (text: string): readonly string[] => {
  const words = wordsOf(text).flatMap((word) =>
    UNSPACED_RUN.test(word) ? pairsOf(word) : word.length >= SHORTEST && !FUNCTION_WORDS.has(word) ? [word] : [],
  );
  return [...new Set(words)].slice(0, MAX_WORDS);
};

const pairsOf = (run: string): readonly string[] => {
  const characters = [...run];
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
};

const isSameStem = (one: string, other: string): boolean => {
  if (one === other) return true;
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  return same >= SHORTEST_STEM && Math.max(one.length, other.length) - same <= LONGEST_ENDING;
};

/** Frequent words of prompts that do not describe their subject, in several languages. */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `about above after again all also and any anything are because been before being below between both but can cannot come could
did does doing done down each else even every few first for from get give going had has have having help her here hers him his how
into its just know last let like look made make many may maybe memory might more most much must need new next not now off once one
only other our out over own per please project put really said same say see shall she should some something still such sure take
tell than that the their them then there these they thing this those through too try under until use used user using very want was
way well were what when where which while who whom why will with without work would yes yet you your
aber alle als auch auf aus bei bin bis bitte das dass dein dem den der des die dies doch ein eine einem einen einer für hat haben
ich ihr ist kann kein mein mich mir mit nach nicht noch nur oder schon sein sich sie sind soll und uns unser vom von vor war was wer
werden wie wird wir wo zum zur
avec aux ces cette comme dans des elle est être fait faire les leur mais mes mon nos notre nous par pas plus pour que quel quelle qui
quoi sans ses son sont sur tout tous une vos votre vous
algo como con cual cuando del donde ella esta este esto están hay las los más nos para pero por porque qué quien ser sin sobre son
sus una uno usted muy puede
che chi com come con dei del della delle dove gli hanno nel non nella ogni per perché più quale quando quello questo sono suo una
ainda até cada ela ele isso mais mas meu muito não onde pelo pode quais qual quem sem seu seus são também tem uma
bij dan dat deze dit door een een heb heeft het hoe kan maar met naar niet nog ook onze over van voor waar wat weer wij worden zijn
как что это для или где кто они есть все был при без над под так же чтобы нет наш мой вам`.split(/\s+/),
);
