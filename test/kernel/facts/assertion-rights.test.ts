import { expect } from 'chai';
import { refuseAssertion } from '../../../kernel/facts/assertion-rights.ts';
import { createNameRules } from '../../../kernel/facts/name-rules.ts';
import { createServiceNames } from '../../../kernel/identity/service-names.ts';
import { defineErrorCode, definePermission } from '../../../kernel/plugin-api.ts';
import { defineInterpretation, type Interpretation } from '../../../kernel/vocabulary/interpretations.ts';
import type { PreparedFact } from '../../../ports/ports.ts';
import { createPrincipal } from '../../kit/create-principal.ts';

const nameRules = createNameRules(createServiceNames('svc'), { words: () => [] });
const WORD = defineInterpretation('instruction', {
  summary: 'readers act upon it',
  permission: definePermission('orders.give', { summary: 'give orders' }),
  refusal: defineErrorCode('no_orders', { status: 403, summary: 'the key may not give orders' }),
  message: 'giving orders needs the permission orders.give',
});

const told = (
  interpretAs: 'content' | 'instruction',
  permissions: readonly string[],
  words: readonly Interpretation[],
) =>
  refuseAssertion(
    {
      entityKey: 'user:alice',
      relationKey: 'memory:role',
      sourceKey: 'agent:w1',
      scope: 'local',
      timestampMs: null,
      value: { type: 'text', v: 'do', interpretAs },
    } as PreparedFact,
    createPrincipal({ permissions: new Set(permissions) }),
    { nameRules, interpretations: new Map(words.map((word) => [word.id, word])) },
    { nowMs: 0, path: 'body' },
  );

describe('the right to assert facts with an interpretation, such as instructions', () => {
  it('requires the permission that the interpretation declares', () => {
    expect(told('instruction', ['write'], [WORD])).to.deep.include({ check: 'permission' });
    expect(told('instruction', ['write'], [WORD])?.error).to.include({ code: 'no_orders', message: WORD.message });
    expect(told('instruction', ['write', 'orders.give'], [WORD])).to.equal(null);
    expect(told('content', ['write'], [WORD])).to.equal(null);
  });

  it('belongs to no caller while no plugin declares the interpretation', () => {
    expect(told('instruction', ['write', 'orders.give'], [])?.error.code).to.equal('authorization');
    expect(told('content', ['write'], [])).to.equal(null);
  });
});
