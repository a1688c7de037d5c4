import { FIELDS_JSON } from '../../kernel/internal-api.ts';
import { type JsonSchema, SCOPES } from '../../kernel/plugin-api.ts';
import { NARROWING_BODY } from '../facts/facts-api.ts';
import {
  DEFAULT_LAMBDA,
  DEFAULT_LIMIT,
  DEFAULT_MIN_CONFIDENCE,
  MAX_BUDGET,
  MAX_DEPTH,
  MAX_LIMIT,
  MAX_WHY_NOT,
  TIME_CHOICES,
} from './recall-request.ts';
import { DEFAULT_WEIGHTS, WEIGHT_SPELLINGS } from './stage-weights.ts';

const share = (fallback: number, description: string): JsonSchema => ({
  type: ['number', 'null'],
  minimum: 0,
  maximum: 1,
  default: fallback,
  description,
});

const flag = (fallback: boolean, description: string): JsonSchema => ({
  type: ['boolean', 'null'],
  default: fallback,
  description,
});

const usualWeights = Object.entries(DEFAULT_WEIGHTS)
  .filter(([, weight]) => weight > 0)
  .map(([name, weight]) => `${name} ${weight}`)
  .join(', ');

const camelOf = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const WEIGHTS: JsonSchema = {
  type: ['object', 'null'],
  properties: Object.fromEntries(
    Object.entries(WEIGHT_SPELLINGS).map(([name, weight]): [string, JsonSchema] => [
      name,
      {
        type: ['number', 'null'],
        minimum: 0,
        maximum: 1,
        ...(camelOf(name) !== weight && { description: `Another name of \`${weight}\`.` }),
      },
    ]),
  ),
  description: `What counts how much; all of them add up to 1. Unless given: ${usualWeights}.`,
};

/** The documented body of `POST /v1/recall`. `readQuestion` checks it, with a code for each kind of violation. */
export const SHOWN_QUESTION: JsonSchema = {
  type: 'object',
  properties: {
    query: { type: ['string', 'null'], minLength: 1, description: 'The question, at most 16 KiB; or give an entity.' },
    entity: { type: ['string', 'null'], description: 'Recalls what is said of this entity.' },
    relation: { type: ['string', 'null'], description: 'Only facts with this relation.' },
    ...NARROWING_BODY,
    token_budget: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_BUDGET,
      description: 'The facts of the answer take no more tokens than this.',
    },
    scope: {
      type: ['string', 'null'],
      default: 'global',
      description: `\`global\`, ${SCOPES.map((scope) => `\`${scope}\``).join(', ')}, or a garden: its URI, its id or \`garden:<slug>\`.`,
    },
    depth: {
      type: ['integer', 'null'],
      minimum: 0,
      maximum: MAX_DEPTH,
      default: 1,
      description: 'How many steps along ref facts the neighbors of a hit may be away.',
    },
    include_neighbors: flag(true, 'Whether neighbors of hits are recalled at all.'),
    include_contradicted: flag(false, 'Whether facts that contradict each other are recalled.'),
    min_confidence: share(DEFAULT_MIN_CONFIDENCE, 'Facts of less confidence are left out.'),
    lambda_mmr: share(DEFAULT_LAMBDA, '1 chooses by relevance alone; less prefers facts that differ from each other.'),
    limit: { type: ['integer', 'null'], minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
    weights: WEIGHTS,
    force_refresh: flag(false, 'Makes the card of the entity anew.'),
    time: {
      type: ['string', 'null'],
      enum: [...TIME_CHOICES, null],
      default: 'lift',
      description: 'Whether facts of a time that the query names are lifted.',
    },
    explain: flag(false, 'Adds to each fact how it came into the answer.'),
    why_not: {
      type: ['array', 'null'],
      maxItems: MAX_WHY_NOT,
      items: { type: 'string' },
      description: 'Ids of facts: the answer says at which step each of them fell out.',
    },
    as_of: { type: ['string', 'null'], description: 'An instant or a stamp: recalls what was known then.' },
    fields: FIELDS_JSON,
  },
  required: ['token_budget'],
};
