import { ServiceError } from '../../kernel/plugin-api.ts';

/** The readers of exports speak of the command. Returns their words for a caller who has sent a body. */
export const inWordsOfTheBody = (text: string): string =>
  text
    .replace(/^give it like --map "([^"]*)"/, (_, words: string) => `give it like ${JSON.stringify(words.split(','))}`)
    .replace('"fact-memory-node import-from --list" says', 'the guide to imports says')
    .replaceAll(/--(encoding|map)\b/g, 'body.$1');

/** Returns the same refusal in the words of the body, and any other error unchanged. */
export const inTermsOfTheBody = <E>(error: E): E | ServiceError => {
  if (!(error instanceof ServiceError)) return error;
  const { code: id, status, message, hint } = error;
  const [told, advice] = [inWordsOfTheBody(message), hint === undefined ? undefined : inWordsOfTheBody(hint)];
  if (told === message && advice === hint) return error;
  return new ServiceError({ id, status }, told, advice === undefined ? {} : { hint: advice });
};
