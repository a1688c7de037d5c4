import { ErrorCodes } from '../../kernel/plugin-api.ts';
import type { OwnedWord } from '../../kernel/vocabulary/vocabulary.ts';
import { tableHead, tableRow } from './markdown-table.ts';

/** Lists the error codes by status. */
export const describeErrors = (words: readonly OwnedWord[]): string[] => {
  const codes = words
    .filter(({ word }) => word.vocabulary === ErrorCodes.vocabulary)
    .map(({ word, owner }) => ({ ...word, owner, status: (word as unknown as { status: number }).status }))
    .toSorted((one, other) => one.status - other.status || (one.id < other.id ? -1 : 1));
  return [
    ...tableHead('status', 'code', 'means', 'declared by'),
    ...codes.map(({ status, id, summary, owner }) => tableRow(`${status}`, `\`${id}\``, summary, owner)),
  ];
};

/** Lists all other declared words, in a section for each vocabulary. */
export const describeWords = (words: readonly OwnedWord[]): string[] => {
  const vocabularies = [...new Set(words.map(({ word }) => word.vocabulary))]
    .filter((vocabulary) => vocabulary !== ErrorCodes.vocabulary)
    .sort();
  return vocabularies.flatMap((vocabulary) => [
    `## ${vocabulary[0]?.toUpperCase()}${vocabulary.slice(1)}`,
    '',
    ...tableHead('id', 'means', 'declared by'),
    ...words
      .filter(({ word }) => word.vocabulary === vocabulary)
      .map(({ word, owner }) => tableRow(`\`${word.id}\``, word.summary, owner)),
    '',
  ]);
};
