import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { PLUGIN_CATALOG } from '../../../config/plugin-catalog.ts';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import {
  appendAuthorise,
  appendJudge,
  appendRead,
  appendSettle,
  type RefusableItem,
  ServiceError,
} from '../../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { type GardenNode, startGardenNode } from '../gardens/garden-kit.ts';
import { factBody } from './fact-bodies.ts';

const PHASES: ReadonlySet<string> = new Set(
  [appendRead, appendAuthorise, appendSettle, appendJudge].map(({ id }) => id),
);
const NAMES = ['attestation', 'keys', 'gardens', 'facts', 'conflicts', 'audit'] as const;

/** The plugin, with its phase handlers before or after those of all others. */
const placed = (plugin: AnyPlugin, order: 'first' | 'last'): AnyPlugin => ({
  ...plugin,
  setup: (context) =>
    plugin.setup({
      ...context,
      // biome-ignore lint/suspicious/noExplicitAny: handlers of any hook
      on: (hook: any, handler: any, options: any) =>
        context.on(hook, handler, PHASES.has(hook.id) ? { order } : options),
    }),
});

/** A plugin that refuses facts in every phase, in which other plugins refuse some as well. */
const censor = defineOwnPlugin({
  name: 'censor',
  setup({ on }) {
    const refusal = new ServiceError('authorization', 'a word that nobody wants to read');
    on(appendRead, ({ items }) => {
      for (const item of items) if (item.draft.source === 'agent:rude') item.reject(refusal);
    });
    const refuse = (items: readonly RefusableItem[]) => {
      for (const item of items) if (item.fact.entity === 'user:taboo') item.reject(refusal);
    };
    on(appendAuthorise, ({ items }) => refuse(items));
    on(appendJudge, ({ items }) => refuse(items));
  },
});

describe('plugin handlers in the phases of an append', () => {
  let garden: GardenNode;
  afterEach(() => garden.stop());

  const { publicKey } = generateKeyPairSync('ed25519');
  const forged = { key_id: publicKey.export({ format: 'jwk' }).x, signature: 'c2ln' };
  const GIVEN = [
    factBody({ garden_id: 'herbs', attestation: forged }),
    factBody({ garden_id: 'herbs' }),
    factBody({ garden_id: 'herbs', source: 'agent:rude' }),
    factBody({ garden_id: 'nowhere', source: 'agent:rude', attestation: forged }),
    factBody({ garden_id: 'herbs', scope: 'public', value: { type: 'text', v: 'x', interpret_as: 'instruction' } }),
    factBody({ relation: 'memory:rule', value: { type: 'text', v: 'x', interpret_as: 'instruction' } }),
    factBody({ entity: 'user:taboo', relation: 'svc:ttl' }),
    factBody({ entity: 'user:taboo' }),
    factBody({ value: { type: 'string', v: 'another' } }),
    factBody({ source: 'agent:rude', relation: 'svc:received_from' }),
    factBody(),
    factBody(),
  ];

  /** The verdicts on all assertions, with the handlers of some plugins before those of the others. */
  const verdicts = async (first: readonly string[]): Promise<readonly string[]> => {
    const plugins = await Promise.all(NAMES.map(async (name) => (await PLUGIN_CATALOG[name]?.()) as AnyPlugin));
    garden = await startGardenNode({
      plugins: [...plugins, censor].map((plugin) => placed(plugin, first.includes(plugin.name) ? 'first' : 'last')),
      settings: { conflicts: { mode: 'strict' }, facts: { sessionGuard: 'enforce' } },
    });
    const headers = { 'Svc-Session': 's' };
    const told: string[] = [];
    for (const actor of ['reader', 'stranger', 'writer', 'writer'] as const) {
      const { body } = await garden.ask(actor, 'POST', '/v1/facts/batch', { body: GIVEN, headers });
      for (const { status, error, fact } of body.results)
        told.push(`${actor} ${status} ${error?.code ?? fact.entity} ${error?.detail ?? ''}`);
      await garden.ask(actor, 'GET', '/v1/facts', { headers });
    }
    await garden.stop();
    return told;
  };

  it('produce the same results in any order', async () => {
    const usual = await verdicts(['keys', 'gardens', 'facts']);
    expect(new Set(usual.map((verdict) => verdict.split(' ')[2]))).to.include.all.keys(
      'attestation_invalid',
      'authorization',
      'instruction_write_required',
      'reserved_namespace',
      'conflict',
      'feedback_loop_provenance_required',
      'user:alice',
    );
    for (const first of [['conflicts', 'censor', 'facts'], ['facts'], ['censor'], ['gardens', 'conflicts']]) {
      expect(await verdicts(first), first.join(', ')).to.deep.equal(usual);
    }
  });
});
