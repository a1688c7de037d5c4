import { COUNT_JSON, type JsonSchema, listOf, objectOf } from '../../kernel/plugin-api.ts';
import { WHY_NOT_STAGES, type Why, type WhyNot } from './why-not.ts';

const SCORE_JSON: JsonSchema = { type: 'number', minimum: 0 };
const PLACE_JSON = objectOf({ rank: COUNT_JSON, score: SCORE_JSON });
const STAGES = ['lexical', 'semantic', 'graph'] as const;

/** The rank and the score in each stage that found the fact. */
const FOUND_BY_JSON = objectOf(Object.fromEntries(STAGES.map((stage) => [stage, PLACE_JSON])), { optional: STAGES });

export const WHY_JSON = objectOf({ found_by: FOUND_BY_JSON, rank: COUNT_JSON, packed: COUNT_JSON });

export const WHY_NOT_JSON = listOf(
  objectOf(
    {
      id: { type: 'string' },
      stage: { type: 'string', enum: [...WHY_NOT_STAGES] },
      by: { type: 'string' },
      found_by: FOUND_BY_JSON,
      score: SCORE_JSON,
      rank: COUNT_JSON,
    },
    { optional: ['by', 'found_by', 'score', 'rank'] },
  ),
);

export const whyJson = ({ foundBy, rank, packed }: Why) => ({ found_by: foundBy, rank, packed });

export const whyNotJson = ({ id, stage, by, foundBy, score, rank }: WhyNot) => ({
  id,
  stage,
  ...(by !== undefined && { by }),
  ...(foundBy !== undefined && { found_by: foundBy }),
  ...(score !== undefined && { score }),
  ...(rank !== undefined && { rank }),
});
