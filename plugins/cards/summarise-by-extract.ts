import { columnText, entityDisplay, grouped, lineText, quotedText } from '../../kernel/internal-api.ts';
import type { FactView } from '../../kernel/plugin-api.ts';
import { isContradicted } from '../conflicts/conflicts-api.ts';
import type { CardSummariser } from './cards-api.ts';

const MAX_CHARACTERS = 280;

/** Lists every value of each relation, and every rival of a contradiction. Adds no word and leaves out no value. */
export const summariseByExtract: CardSummariser = {
  id: 'extract-1',
  async summarise({ entity, facts, unlistedRivals }) {
    const byRelation = grouped(facts, ({ fact }) => fact.relationKey);
    const lines = [...byRelation].map(([key, views]) => relationLine(views, unlistedRivals.get(key) ?? 0));
    return [`## ${lineText(inShort(entityDisplay(entity)))}`, ...lines].join('\n');
  },
};

const relationLine = (views: readonly FactView[], unlisted: number): string => {
  const [first] = views as [FactView];
  const isContested = views.some(isContradicted);
  if (!isContested) {
    const values = new Set(views.map(valueText));
    return `- ${columnText(first.fact.relation)}: ${[...values].join('; ')}`;
  }
  const rivals = views.map(
    (view) => `${rivalText(view)} (confidence ${view.fact.confidence}, ${columnText(inShort(view.fact.source))})`,
  );
  if (unlisted > 0) rivals.push(`and ${unlisted} more`);
  return `- ${columnText(first.fact.relation)}, contradicted: ${rivals.join(' | ')}`;
};

const valueText = ({ fact: { value } }: FactView): string => lineText(inShort(String(value.v)));

/**
 * Returns a rival with its confidence and source in brackets after it, because a value with brackets could otherwise
 * imitate both.
 */
const rivalText = (view: FactView): string => {
  const text = inShort(String(view.fact.value.v));
  return /[()]/.test(text) ? quotedText(text) : lineText(text);
};

/** Shortens a text to one line, because a value with line ends could otherwise look like further lines of the card. */
const inShort = (text: string): string => {
  // Shortens very long texts first to save work. Removes half of a surrogate pair at the end.
  const beginning = text.slice(0, 4 * MAX_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
  const characters = [...beginning.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()];
  const isWhole = characters.length <= MAX_CHARACTERS && beginning.length === text.length;
  return isWhole ? characters.join('') : `${characters.slice(0, MAX_CHARACTERS).join('')}…`;
};
