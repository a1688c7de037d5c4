import type { AskNode } from '../ask-node.ts';
import { contentText, countNoun, DATA_NOTICE, factsText, factView } from '../memory-data.ts';
import { ask, type JsonObject } from '../refused-question.ts';
import { defineTool, SCOPE, SHARE, TEXT } from '../tool-definition.ts';

/** Longer text is stored with the type for long texts. */
const MAX_STRING_BYTES = 16 * 1024;

export const VALUE = { description: 'Text, number, boolean, null, or {type, v} with type ref, datetime, ...' } as const;

export const ASSERTION = {
  entity: { ...TEXT, description: 'What the fact is about, e.g. user:alice' },
  relation: { ...TEXT, description: 'Namespaced, e.g. memory:role' },
  value: VALUE,
  source: { ...TEXT, description: 'Who says so; default you' },
  confidence: SHARE,
  scope: { ...SCOPE, description: 'Default local' },
  garden_id: TEXT,
  valid_until: TEXT,
  derived_from: { type: 'array', items: TEXT, maxItems: 100, description: 'Fact ids or content ids' },
} as const;

export const ASSERTION_REQUIRED = ['entity', 'relation', 'value'] as const;

export interface AssertArguments {
  readonly value: unknown;
  readonly source?: string;
  readonly derived_from?: readonly string[];
}

export const assertTool = defineTool<AssertArguments>({
  name: 'assert',
  description:
    'Store one fact. Facts are never changed; a differing value opens a conflict. A repeat stores nothing new.',
  permission: 'write',
  routes: ['POST /v1/facts'],
  effect: 'adds',
  input: ASSERTION,
  required: ASSERTION_REQUIRED,
  output: { notice: TEXT, fact: { type: 'object' } },
  async run(args, { node, idempotencyKey }) {
    const fact = factView(
      await ask(node, {
        route: 'POST /v1/facts',
        body: assertionOf(args, node),
        ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
      }),
    );
    const warnings = (fact['warnings'] ?? []) as readonly unknown[];
    const remark = `Stored${warnings.length > 0 ? ` with ${countNoun(warnings.length, 'warning')}` : ''}.`;
    return { structured: { notice: DATA_NOTICE, fact }, text: factsText(remark, [fact]) };
  },
});

/** The body of an assertion. The node fills in absent members, except the source. */
export const assertionOf = (args: AssertArguments, node: AskNode): JsonObject => ({
  ...args,
  source: args.source ?? node.caller.entityUri,
  value: typedValue(args.value),
  ...(args.derived_from !== undefined && { derived_from: args.derived_from.map(reference) }),
});

const reference = (text: string): unknown => (CONTENT_ID.test(text) ? text : { fact_id: text });

const CONTENT_ID = /^(?:sha256:)?[0-9a-f]{64}$/;

/** A plain value gets its type. A typed value goes to the node unchanged, and stays content. */
const typedValue = (value: unknown): unknown => {
  if (typeof value === 'string') {
    return { type: Buffer.byteLength(value) > MAX_STRING_BYTES ? 'text' : 'string', v: value };
  }
  if (typeof value === 'number') return { type: 'number', v: value };
  if (typeof value === 'boolean') return { type: 'boolean', v: value };
  return value === null ? { type: 'null', v: null } : value;
};

interface ResolveArguments {
  readonly conflict_id: string;
  readonly winning_fact_id?: string;
  readonly new_value?: unknown;
  readonly note?: string;
}

export const resolveTool = defineTool<ResolveArguments>({
  name: 'resolve',
  description: 'Settle a conflict for everybody, with the fact that is right or with a new value.',
  permission: 'write',
  routes: ['POST /v1/conflicts/*id/resolve'],
  effect: 'hides',
  input: {
    conflict_id: TEXT,
    winning_fact_id: TEXT,
    new_value: VALUE,
    note: { ...TEXT, description: 'Why' },
  },
  required: ['conflict_id'],
  output: { resolution_fact_id: TEXT, conflict_status: TEXT },
  async run({ conflict_id, winning_fact_id, new_value, note }, { node }) {
    const structured = await ask(node, {
      route: 'POST /v1/conflicts/*id/resolve',
      params: { id: conflict_id },
      body: {
        ...(winning_fact_id !== undefined && { winning_fact_id }),
        ...(new_value !== undefined && { new_value: typedValue(new_value) }),
        ...(note !== undefined && { resolution_note: note }),
      },
    });
    return { structured, text: contentText(`Resolved by fact ${structured['resolution_fact_id']}.`, []) };
  },
});
