import { cutDeep, SHOWN_CHARACTERS } from '../cut-values.ts';
import type { JsonObject } from '../refused-question.ts';
import type { ToolResult } from '../tool-definition.ts';

/** The average token of current models is about four bytes long. */
const BYTES_PER_TOKEN = 4;

/** The default token budget of a reply. */
export const LIST_TOKENS = 4_000;
/** The minimum budget. Less would not hold the counts of omitted facts. */
const LEAST_TOKENS = 100;

/** The argument of tools that limits both forms of their reply: text and structured content. */
export const tokenBudget = (byDefault: number) =>
  ({ type: 'integer', minimum: LEAST_TOKENS, default: byDefault }) as const;

export const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

/** Whether both forms of a result stay within the budget. */
export const isWithin = ({ text, structured }: ToolResult, budget: number): boolean =>
  tokensOf(text) <= budget && tokensOf(JSON.stringify(structured)) <= budget;

/** Returns the largest number of first items whose result stays within the budget. */
export const countWithin = <T>(
  items: readonly T[],
  budget: number,
  build: (items: readonly T[]) => ToolResult,
): number => {
  if (isWithin(build(items), budget)) return items.length;
  let [fits, exceeds] = [0, items.length];
  while (exceeds - fits > 1) {
    const middle = Math.floor((fits + exceeds) / 2);
    if (isWithin(build(items.slice(0, middle)), budget)) fits = middle;
    else exceeds = middle;
  }
  return fits;
};

/** A page of a route, with the reply that holds its cursor. */
export interface Page {
  readonly items: readonly JsonObject[];
  readonly body: JsonObject;
}

/**
 * Returns a page within the budget. If a page is too large, requests it again with fewer rows, so that its cursor
 * continues after the last row shown. A single row that is too large is replaced by its id.
 */
export const boundedPage = async (
  budget: number,
  page: (limit: number | undefined) => Promise<Page>,
  build: (page: Page) => ToolResult,
): Promise<ToolResult> => {
  const first = await page(undefined);
  const whole = build(first);
  if (isWithin(whole, budget)) return whole;
  const count = countWithin(first.items, budget, (items) => build({ ...first, items }));
  const shorter = await page(Math.max(1, count));
  const result = build(shorter);
  return isWithin(result, budget) ? result : build({ ...shorter, items: shorter.items.map(idOf) });
};

const idOf = ({ id, conflict_id }: JsonObject): JsonObject => ({
  ...(id !== undefined && { id }),
  ...(conflict_id !== undefined && { conflict_id }),
  too_large: true,
});

/**
 * Returns a document whose result stays within the budget: long texts are cut, and then the largest list loses its last
 * items, until it fits.
 */
export const documentWithin = (
  document: JsonObject,
  budget: number,
  result: (document: JsonObject) => ToolResult,
): JsonObject => {
  if (isWithin(result(document), budget)) return document;
  let shown = cutDeep(document) as JsonObject;
  for (let most = SHOWN_CHARACTERS; !isWithin(result(shown), budget); ) {
    const lists = Object.entries(shown).filter(([, member]) => Array.isArray(member) && member.length > 0);
    const [longest] = lists.sort(([, a], [, b]) => JSON.stringify(b).length - JSON.stringify(a).length);
    if (longest !== undefined) {
      const [name, list] = longest as [string, readonly unknown[]];
      const left = Math.floor(list.length / 2);
      const more = Number((shown['left_out'] as JsonObject | undefined)?.[name] ?? 0) + list.length - left;
      shown = { ...shown, [name]: list.slice(0, left), left_out: { ...(shown['left_out'] as object), [name]: more } };
    } else if (most > 1) {
      most = Math.floor(most / 2);
      shown = cutDeep(shown, most) as JsonObject;
    } else return { too_large: true };
  }
  return shown;
};
