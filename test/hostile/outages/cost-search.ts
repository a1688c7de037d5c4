import type { DescribedRoute } from '../../../kernel/description/node-description.ts';
import type { JsonSchema } from '../../../kernel/plugin-api.ts';
import { largestRequest, type OrdinaryRequest, type RealThings } from './ordinary-requests.ts';

/** Returns a number from 0 to below 1. */
export type Draw = () => number;

/** Items of a batch, the most that one request may have. */
const MOST_ITEMS = 1_000;
const LONG_TEXT = 'the answer is likely a brass lantern in the harbour '.repeat(20);
/** Beyond every sensible budget of tokens. */
const LARGE_NUMBER = 200_000;

/**
 * Returns a random request to the route: limits at their highest, lists at their longest, long texts, and each filter
 * and switch by chance. The first one of a route is its largest plain request.
 */
export const drawRequest = (route: DescribedRoute, things: RealThings, draw: Draw, at: number): OrdinaryRequest => {
  const plain = largestRequest(route, things);
  if (route.bodyForm === 'items') return { ...plain, body: drawItems(route.example?.body, draw, at) };
  if (at === 0) return plain;
  const [path = ''] = plain.target.split('?');
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(drawMembers(route.query, route.example?.query ?? {}, draw))) {
    for (const one of [value].flat()) query.append(name, String(one));
  }
  const body = route.body === undefined ? plain.body : drawMembers(route.body, route.example?.body ?? {}, draw);
  return { ...plain, target: query.size === 0 ? path : `${path}?${query}`, body };
};

const pick = <T>(choices: readonly T[], draw: Draw): T => choices[Math.floor(draw() * choices.length)] as T;

const drawMembers = (schema: JsonSchema | undefined, shown: object, draw: Draw): Record<string, unknown> => {
  const properties = (schema?.['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const required = (schema?.['required'] ?? []) as readonly string[];
  const asked = Object.entries(properties).filter(([name]) => required.includes(name) || draw() < 0.5);
  return Object.fromEntries(
    asked.flatMap(([name, member]) => {
      const value = drawValue(member, (shown as Readonly<Record<string, unknown>>)[name], draw);
      return value === undefined ? [] : [[name, value]];
    }),
  );
};

const drawValue = (schema: JsonSchema, shown: unknown, draw: Draw): unknown => {
  const [type] = [schema['type']].flat();
  const choices = schema['enum'] as readonly unknown[] | undefined;
  if (choices !== undefined) return pick(choices, draw);
  if (type === 'boolean') return draw() < 0.5;
  if (type === 'integer' || type === 'number') return pick([schema['maximum'] ?? LARGE_NUMBER, shown], draw);
  if (type === 'array') return shown === undefined ? undefined : repeated([shown].flat(), schema['maxItems']);
  if (type === 'string') return pick([shown, shown, LONG_TEXT], draw);
  return shown;
};

const repeated = (items: readonly unknown[], most: unknown): readonly unknown[] =>
  Array.from({ length: Math.min(Number(most ?? MOST_ITEMS), MOST_ITEMS) }, (_, at) => items[at % items.length]);

/** Rivals of one triple, facts about one entity, facts about many, or fewer facts with long values. */
const drawItems = (shown: unknown, draw: Draw, at: number): readonly unknown[] => {
  const [first] = shown as readonly object[];
  const kind = at % 4;
  const text = kind === 3 ? LONG_TEXT.repeat(10) : 'value';
  const mark = draw();
  return Array.from({ length: kind === 3 ? MOST_ITEMS / 2 : MOST_ITEMS }, (_, n) => ({
    ...first,
    entity: kind === 2 ? `user:drawn-${mark}-${n}` : 'user:drawn',
    relation: kind === 0 ? `memory:drawn-${mark}` : `memory:drawn-${mark}-${n}`,
    value: { type: 'string', v: `${text} ${n}` },
  }));
};
