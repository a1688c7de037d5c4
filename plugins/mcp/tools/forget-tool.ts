import { isDeepStrictEqual } from 'node:util';
import { foldName } from '../../../kernel/internal-api.ts';
import { sha256Hex } from '../../../kernel/plugin-api.ts';
import { PREVIEW_LIFETIME_S } from '../forget-tokens.ts';
import { countNoun, DATA_NOTICE, factsIn, factsText, factView } from '../memory-data.ts';
import { ask, type JsonObject, RefusedQuestion } from '../refused-question.ts';
import { defineTool, FLAG, OBJECTS, SCOPE, TEXT, type ToolContext, type ToolResult } from '../tool-definition.ts';
import { countWithin, LIST_TOKENS } from './bounded-results.ts';

/** The maximum number of facts per call, because nobody would read a longer preview. */
const MAX_FORGOTTEN = 100;
/** The most facts that one request returns. */
const PAGE = 500;

interface Target {
  readonly fact_id?: string;
  readonly entity?: string;
  readonly relation?: string;
  readonly scope?: string;
  readonly tombstone?: boolean;
}

interface ForgetArguments extends Target {
  readonly confirm?: string;
}

/** The facts that would be hidden. */
interface Preview {
  readonly facts: readonly JsonObject[];
  /** Number of all facts of the entity, because a tombstone hides more than the listed ones. */
  readonly total: number;
  /** True if other values of the same entity and relation stay live. */
  readonly isByName?: boolean;
}

export const forgetTool = defineTool<ForgetArguments>({
  name: 'forget',
  description:
    'Two steps: without confirm it changes nothing and shows what would be hidden, with a token; show that to the user, then call again with the same arguments and confirm=token. Retracts, never deletes.',
  permission: 'write',
  routes: ['POST /v1/facts/batch', 'GET /v1/facts', 'GET /v1/facts/:id'],
  effect: 'hides',
  input: {
    fact_id: { ...TEXT, description: 'This fact, with rivals and repeats' },
    entity: TEXT,
    relation: TEXT,
    scope: SCOPE,
    tombstone: { ...FLAG, description: 'Hide the whole entity; needs admin' },
    confirm: TEXT,
  },
  output: {
    status: { type: 'string', enum: ['preview', 'forgotten', 'nothing'] },
    facts: OBJECTS,
    confirm: TEXT,
    expires_in_s: { type: 'integer' },
  },
  async run({ confirm, ...target }, context) {
    const found = await preview(target, context);
    if (found.facts.length === 0) return nothingLeft();
    const previewed = { caller: context.node.caller, target, state: [found.total, idsOf(found.facts)] };
    if (confirm === undefined) return shown(found, context.tokens.issue(previewed));
    if (!context.tokens.accepts(confirm, previewed)) throw staleConfirmation();
    await (target.tombstone === true ? bury(target, context) : retract(found, confirm, context));
    return listed(found, (facts, more) => ({
      structured: { notice: DATA_NOTICE, status: 'forgotten', facts },
      text: factsText(`Forgotten: ${countNoun(found.total, 'fact')}${more}. They stay in the history.`, facts),
    }));
  },
});

const preview = async (target: Target, context: ToolContext): Promise<Preview> => {
  const { fact_id: factId, entity, relation, tombstone = false } = target;
  if ((factId === undefined) === (entity === undefined)) throw refusal('give either fact_id or entity');
  if (tombstone && (entity === undefined || relation !== undefined || target.scope !== undefined)) {
    throw refusal('a tombstone hides a whole entity: give entity alone');
  }
  if (tombstone && !context.node.serves('POST /v1/tombstones')) throw refusal('this node has no tombstones');
  if (factId !== undefined) return placeOf(factId, context);
  const { facts, total } = await liveFacts(target, context);
  if (!tombstone && total > facts.length) {
    throw refusal(`at most ${MAX_FORGOTTEN} facts are forgotten at once: name a relation or a scope`);
  }
  return { facts, total };
};

/**
 * Returns the facts that a retraction of this fact would end: all values of its entity, relation and scope in its
 * place. If these values differ without a contradiction, the relation holds many values, and only facts with the same
 * value end.
 */
const placeOf = async (factId: string, context: ToolContext): Promise<Preview> => {
  const found = await ask(context.node, { route: 'GET /v1/facts/:id', params: { id: factId } });
  const fact = factView(found, context.node.nowMs());
  const { entity, relation, scope } = fact as Readonly<Record<string, string>>;
  const { facts: all, total } = await liveFacts({ entity, relation, scope } as Target, context);
  if (total > all.length) throw refusal(`more than ${MAX_FORGOTTEN} facts share the place of this one`);
  const place = all.filter(({ garden_id }) => garden_id === fact['garden_id']);
  const same = place.filter(({ value }) => isDeepStrictEqual(value, fact['value']));
  const isByName = same.length < place.length && found['contradicted'] === false;
  return { facts: isByName ? same : place, total: (isByName ? same : place).length, isByName };
};

/**
 * Returns the live facts of the target, newest first, and their number. Reads on past facts that are live no more,
 * because a value that was replaced often has many of those. A tombstone hides these too.
 */
const liveFacts = async (
  { entity, relation, scope, tombstone = false }: Target,
  { node }: ToolContext,
): Promise<Preview> => {
  const facts: JsonObject[] = [];
  let leftOut = 0;
  for (let cursor: string | null = null; ; ) {
    const body: JsonObject = await ask(node, {
      route: 'GET /v1/facts',
      query: { entity, relation, scope, include_contradicted: true, limit: PAGE, cursor },
    });
    const rows = factsIn(body, node.nowMs());
    // Leaves out retractions, and facts of the node itself, such as cards, which end together with the other facts.
    const live = rows.filter(
      ({ confidence, source, ended }) =>
        confidence !== 0 && (tombstone || ended === undefined) && !String(source).startsWith('system:'),
    );
    leftOut += rows.length - live.length;
    facts.push(...live);
    cursor = body['cursor'] as string | null;
    if (cursor !== null && facts.length <= MAX_FORGOTTEN) continue;
    const total = cursor === null ? facts.length : Number(body['total']) - leftOut;
    return { facts: facts.slice(0, MAX_FORGOTTEN), total };
  }
};

const idsOf = (facts: readonly JsonObject[]): readonly unknown[] => facts.map(({ id }) => id).sort();

/** One retraction for each place, all in one transaction. */
const retract = async ({ facts, isByName }: Preview, confirm: string, { node }: ToolContext): Promise<void> => {
  const places = new Map(
    facts.map(({ entity, relation, scope, garden_id }) => [
      JSON.stringify([foldName(String(entity)), foldName(String(relation)), scope, garden_id]),
      { entity, relation, scope, ...(garden_id !== undefined && { garden_id }) },
    ]),
  );
  const retractions = [...places.values()].map((place) => ({
    ...place,
    source: node.caller.entityUri,
    value: { type: 'string', v: 'retracted' },
    confidence: 0,
    ...(isByName === true && { replaces: facts.map(({ id }) => id) }),
  }));
  const body = await ask(node, {
    route: 'POST /v1/facts/batch',
    body: retractions,
    headers: { 'idempotency-key': sha256Hex(`forget ${confirm}`) },
  });
  const results = body['results'] as readonly { readonly error?: RefusedQuestion['problem'] }[];
  const refused = results.flatMap(({ error }) => error ?? []);
  const [first] = refused;
  if (first === undefined) return;
  const done = results.length - refused.length;
  const detail = `${countNoun(results.length, 'retraction')}: ${refused.length} refused, ${done} made: ${first.detail}`;
  throw new RefusedQuestion({ ...first, detail });
};

const bury = async ({ entity }: Target, { node }: ToolContext): Promise<void> => {
  await ask(node, { route: 'POST /v1/tombstones', body: { entity_uri: entity, reason: 'forgotten by request' } });
};

const shown = (found: Preview, confirm: string): ToolResult =>
  listed(found, (facts, more) => {
    const remark =
      `Preview: ${countNoun(found.total, 'fact')} would be hidden${more}. Nothing has changed yet. ` +
      `To go on, call forget with the same arguments and confirm=${confirm} within ${PREVIEW_LIFETIME_S} s.`;
    return {
      structured: { notice: DATA_NOTICE, status: 'preview', facts, confirm, expires_in_s: PREVIEW_LIFETIME_S },
      text: factsText(remark, facts),
    };
  });

/** Returns a result with as many facts as fit, and their number. */
const listed = (
  { facts, total }: Preview,
  result: (facts: readonly JsonObject[], more: string) => ToolResult,
): ToolResult => {
  const build = (some: readonly JsonObject[]): ToolResult =>
    result(some, some.length < total ? `, of which ${some.length} are listed` : '');
  return build(facts.slice(0, countWithin(facts, LIST_TOKENS, build)));
};

const nothingLeft = (): ToolResult => ({
  structured: { notice: DATA_NOTICE, status: 'nothing', facts: [] },
  text: 'There is nothing to forget.',
});

const refusal = (detail: string): RefusedQuestion => new RefusedQuestion({ code: 'validation', status: 422, detail });

const staleConfirmation = (): RefusedQuestion =>
  new RefusedQuestion({
    code: 'conflict',
    status: 409,
    detail: 'the confirmation does not fit: it is too old, or arguments, caller or facts are not those of the preview',
    hint: 'call forget without confirm for a new preview',
  });
