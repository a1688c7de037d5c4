/**
 * English words that carry no meaning for a search, without apostrophes, which are removed before the lookup. Removed
 * only from queries.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about after again all also am an and any are arent as at be because been before being between both but by can cant could
couldnt did didnt do does doesnt doing dont down during each few for from further had hadnt has hasnt have havent having he her here
hers herself him himself his how i if im in into is isnt it its itself ive just me more most my myself no nor not now of off on once
only or other our ours ourselves out over own same she should shouldnt so some such than that the their theirs them themselves then
there these they this those through to too under until up very was wasnt we were werent what when where which while who whom whose why
will with wont would wouldnt you your youre yours yourself yourselves`.split(/\s+/),
);
