import { cutCharacters } from '../cut-values.ts';
import { contentText, DATA_NOTICE } from '../memory-data.ts';
import { ask, type JsonObject, RefusedQuestion } from '../refused-question.ts';
import { defineTool, TEXT, type ToolResult } from '../tool-definition.ts';
import { isWithin, LIST_TOKENS, tokenBudget } from './bounded-results.ts';

interface FactArguments {
  readonly id: string;
  readonly offset?: number;
  readonly token_budget?: number;
}

/** Reads one whole fact. A value that is too long for one reply is read piece by piece. */
export const factTool = defineTool<FactArguments>({
  name: 'fact',
  description: 'One fact by id or content id, also a retracted or expired one. A long value is read on from offset.',
  permission: 'read',
  routes: ['GET /v1/facts/:id'],
  effect: 'nothing',
  input: { id: TEXT, offset: { type: 'integer', minimum: 0 }, token_budget: tokenBudget(LIST_TOKENS) },
  required: ['id'],
  output: { data: { type: 'object' }, next_offset: { type: 'integer' } },
  async run({ id, offset = 0, token_budget: budget = LIST_TOKENS }, { node }) {
    const fact = await ask(node, { route: 'GET /v1/facts/:id', params: { id } });
    const { v } = fact['value'] as { readonly v?: unknown };
    if (typeof v !== 'string') return partOf(fact, {});
    if (offset > v.length) throw beyondEnd(v.length);
    for (let most = budget * CHARACTERS_PER_TOKEN; ; most = Math.floor(most / 2)) {
      const part = cutCharacters(v.slice(offset), Math.max(most, LEAST_CHARACTERS));
      const end = offset + part.length;
      const place = { ...(end < v.length && { next_offset: end }), ...(part !== v && { offset, length: v.length }) };
      const shown = { ...fact, value: { ...(fact['value'] as JsonObject), v: part } };
      const result = partOf(shown, place);
      if (isWithin(result, budget)) return result;
      if (most > LEAST_CHARACTERS) continue;
      // The members beside the value are too large.
      const small = partOf({ id: fact['id'], value: shown.value }, place);
      return isWithin(small, budget) ? small : partOf({ id: fact['id'], too_large: true }, place);
    }
  },
});

/** A token is at most about four characters. */
const CHARACTERS_PER_TOKEN = 4;
/** A part has at least two UTF-16 units, so that a surrogate pair fits. */
const LEAST_CHARACTERS = 16;

interface Place {
  readonly next_offset?: number;
  readonly offset?: number;
  readonly length?: number;
}

const partOf = (data: JsonObject, { next_offset, offset, length }: Place): ToolResult => {
  const more = next_offset === undefined ? '' : ` Call fact with offset ${next_offset} for more.`;
  const remark =
    length === undefined ? 'The document.' : `The document, its value from character ${offset} of ${length}.${more}`;
  return {
    structured: {
      notice: DATA_NOTICE,
      data,
      ...(next_offset !== undefined && { next_offset }),
      ...(length !== undefined && { offset, length }),
    },
    text: contentText(remark, [JSON.stringify(data)]),
  };
};

const beyondEnd = (length: number): RefusedQuestion =>
  new RefusedQuestion({ code: 'validation', status: 422, detail: `arguments.offset must be at most ${length}` });
