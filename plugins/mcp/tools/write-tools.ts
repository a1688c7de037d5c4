import type { AskNode } from '../ask-node.ts';
import { cutView } from '../cut-values.ts';
import { contentText, DATA_NOTICE, factsText, factView } from '../memory-data.ts';
import { ask, type JsonObject } from '../refused-question.ts';
import { defineTool, OBJECTS, SCOPE, SHARE, TEXT, TEXTS } from '../tool-definition.ts';
import { contradictedIds, contradictionText } from './contradicted-fact.ts';
import { differentType, rivalsOf, sameSpelling } from './same-spelling.ts';
import { sentValue, VALUE, VALUE_TYPE, type ValueType } from './sent-value.ts';

export const ASSERTION = {
  entity: { ...TEXT, description: 'Its subject, e.g. user:alice' },
  relation: { ...TEXT, description: 'Namespaced, e.g. memory:role' },
  value: VALUE,
  value_type: VALUE_TYPE,
  source: { ...TEXT, description: 'Default you' },
  confidence: SHARE,
  scope: { ...SCOPE, description: 'Default local' },
  garden_id: TEXT,
  valid_from: TEXT,
  valid_until: TEXT,
  derived_from: { ...TEXTS, description: 'Fact or content ids' },
  replaces: { ...TEXTS, description: 'Ids of facts it ends' },
  reason: TEXT,
} as const;

export const ASSERTION_REQUIRED = ['entity', 'relation', 'value'] as const;

export interface AssertArguments {
  readonly value: unknown;
  readonly value_type?: ValueType;
  readonly source?: string;
  readonly derived_from?: readonly string[];
}

export const assertTool = defineTool<AssertArguments>({
  name: 'assert',
  description: 'Store one fact. Facts never change; a differing value opens a conflict. A repeat stores nothing.',
  permission: 'write',
  routes: ['POST /v1/facts'],
  effect: 'adds',
  input: ASSERTION,
  required: ASSERTION_REQUIRED,
  output: {
    fact: { type: 'object' },
    stored_type: TEXT,
    contradicts: TEXTS,
    same_spelling: OBJECTS,
  },
  async run(args, { node, idempotencyKey }) {
    const stored = await ask(node, {
      route: 'POST /v1/facts',
      body: assertionOf(args, node),
      ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
    });
    const whole = factView(stored, node.nowMs());
    const fact = cutView(whole);
    const { type } = fact['value'] as { readonly type: string };
    const contradicts = contradictedIds(stored);
    const same = sameSpelling(whole, await rivalsOf(whole, node));
    const remark = [`Stored as ${type}.`, contradictionText(stored), ...same.map(differentType)]
      .filter((text) => text !== '')
      .join(' ');
    const structured = {
      notice: DATA_NOTICE,
      fact,
      stored_type: type,
      ...(contradicts.length > 0 && { contradicts }),
      ...(same.length > 0 && { same_spelling: same }),
    };
    return { structured, text: factsText(remark, [fact]) };
  },
});

/** The body of an assertion. The node fills in absent members, except the source. */
export const assertionOf = ({ value_type, ...args }: AssertArguments, node: AskNode, place = ''): JsonObject => ({
  ...args,
  source: args.source ?? node.caller.entityUri,
  value: sentValue(args.value, value_type, `${place}value`),
  ...(args.derived_from !== undefined && { derived_from: args.derived_from.map(reference) }),
});

const reference = (text: string): unknown => (CONTENT_ID.test(text) ? text : { fact_id: text });

const CONTENT_ID = /^(?:sha256:)?[0-9a-f]{64}$/;

interface ResolveArguments {
  readonly conflict_id: string;
  readonly winning_fact_id?: string;
  readonly new_value?: unknown;
  readonly value_type?: ValueType;
  readonly note?: string;
}

export const resolveTool = defineTool<ResolveArguments>({
  name: 'resolve',
  description: 'Settle a conflict with the right fact, or a new value.',
  permission: 'write',
  routes: ['POST /v1/conflicts/*id/resolve'],
  effect: 'hides',
  input: {
    conflict_id: TEXT,
    winning_fact_id: TEXT,
    new_value: VALUE,
    value_type: VALUE_TYPE,
    note: TEXT,
  },
  required: ['conflict_id'],
  output: { resolution_fact_id: TEXT, conflict_status: TEXT },
  async run({ conflict_id, winning_fact_id, new_value, value_type, note }, { node }) {
    // Clients send null for members that they leave out.
    const isGiven = new_value !== undefined && (new_value !== null || value_type === 'null');
    const structured = await ask(node, {
      route: 'POST /v1/conflicts/*id/resolve',
      params: { id: conflict_id },
      body: {
        ...(winning_fact_id !== undefined && { winning_fact_id }),
        ...(isGiven && { new_value: sentValue(new_value, value_type, 'new_value') }),
        ...(note !== undefined && { resolution_note: note }),
      },
    });
    return { structured, text: contentText(`Resolved by fact ${structured['resolution_fact_id']}.`, []) };
  },
});
