import { expect } from 'chai';
import { PLUGIN_CATALOG } from '../../../config/plugin-catalog.ts';
import { RESERVED_WORDS } from '../../../config/reserved-words.ts';
import { matchKey, nameKeys } from '../../../kernel/facts/match-key.ts';
import { createNameRules, type NameRules } from '../../../kernel/facts/name-rules.ts';
import { createServiceNames, type ServiceNames } from '../../../kernel/identity/service-names.ts';
import { Interpretations } from '../../../kernel/vocabulary/interpretations.ts';
import { OpenRelations, ReservedEntities, ReservedRelations } from '../../../kernel/vocabulary/reserved-names.ts';
import { collectWords, type OwnedWord } from '../../../kernel/vocabulary/vocabulary.ts';
import { MANIFEST } from '../../../plugins/instructions/instructions-words.ts';

const names = createServiceNames('svc');
const other = createServiceNames('kb');
const rulesOf = (as: ServiceNames, words: readonly OwnedWord[] = RESERVED_WORDS): NameRules =>
  createNameRules(as, collectWords(words, []));

describe('system facts', () => {
  const isSystem = (entity: string, relation: string): boolean =>
    rulesOf(names).isSystem({ entityKey: matchKey(entity, names), relationKey: matchKey(relation, names) });

  it('carry the reserved prefix in entity or relation, in any case', () => {
    expect(isSystem('svc:fact:1', 'memory:role')).to.equal(true);
    expect(isSystem('user:alice', 'svc:ttl')).to.equal(true);
    expect(isSystem('SVC:Conflict:1', 'memory:role')).to.equal(true);
    expect(isSystem('svc:node:1', 'memory:role')).to.equal(true);
  });

  it('do not include facts about an entity under the scheme', () => {
    expect(isSystem('svc://h/user/alice', 'memory:role')).to.equal(false);
    expect(isSystem('user:alice', 'svc://h/relation/knows')).to.equal(false);
    expect(isSystem('svcx:1', 'svc')).to.equal(false);
  });

  it('include manifests', () => {
    expect(isSystem('instruction:default/agent/a/manifest/1', MANIFEST.id)).to.equal(true);
    expect(isSystem('instruction:manifest', 'memory:role')).to.equal(false);
  });
});

describe('reserved names', () => {
  const reserved = (entity: string, relation: string, source: string, as = names): string | null =>
    rulesOf(as).refusalOf(nameKeys({ entity, relation, source }, as));

  const refused: readonly (readonly [entity: string, relation: string, source: string])[] = [
    ['user:alice', 'svc:conflict:status', 'agent:w'],
    ['user:alice', 'svc:received_from', 'agent:w'],
    ['user:alice', 'svc:memory:card', 'agent:w'],
    ['user:alice', 'SVC:Memory:Card', 'agent:w'],
    ['user:alice', 'svc:', 'agent:w'],
    ['user:alice', 'svc:ttl:x', 'agent:w'],
    ['user:alice', 'svc://h/relation/x', 'agent:w'],
    ['svc:conflict:x', 'memory:role', 'agent:w'],
    ['SVC:CONFLICT:x', 'memory:role', 'agent:w'],
    ['svc:resolution:x', 'memory:role', 'agent:w'],
    ['svc:fact:1', 'memory:role', 'agent:w'],
    ['svc:conflict:x', 'svc:ttl', 'agent:w'],
    ['svc:resolution:x', 'svc:ttl', 'agent:w'],
    ['user:alice', 'instruction:manifest', 'agent:w'],
    ['user:alice', 'Instruction:Manifest', 'agent:w'],
    ['user:alice', 'memory:role', 'system:svc'],
    ['user:alice', 'memory:role', ' System:other'],
    ['svc:fact:1', 'svc:ttl', 'system:svc'],
  ];
  for (const names of refused) {
    it(`are refused: ${JSON.stringify(names)}`, () => {
      expect(reserved(...names))
        .to.be.a('string')
        .and.not.equal('');
    });
  }

  const allowed: readonly (readonly [entity: string, relation: string, source: string])[] = [
    ['user:alice', 'memory:role', 'agent:w'],
    ['user:alice', 'role', 'system'],
    ['svc://h/user/alice', 'memory:role', 'svc://h/agent/w'],
    ['svc://h/user/alice', 'svc:ttl', 'agent:w'],
    ['5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11', 'svc:ttl', 'agent:w'],
    ['svc:fact:5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11', 'svc:ttl', 'agent:w'],
    ['svc:fact:5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11', 'SVC:TTL', 'agent:w'],
    ['instruction:manifest', 'instruction:unit', 'agent:w'],
  ];
  for (const names of allowed) {
    it(`are accepted: ${JSON.stringify(names)}`, () => {
      expect(reserved(...names)).to.equal(null);
    });
  }

  it('depend on the name of the service', () => {
    expect(reserved('user:alice', 'svc:memory:card', 'agent:w', other)).to.equal(null);
    expect(reserved('user:alice', 'kb:memory:card', 'agent:w', other)).to.contain('kb:ttl');
  });

  it('include all relations of the node except the one that clients may assert', () => {
    const keys = nameKeys({ entity: 'user:alice', relation: 'svc:x', source: 'agent:w' }, names);
    expect(rulesOf(names).refusalOf(keys)).to.equal(
      'relations under svc: are written by the node; a client may assert svc:ttl alone',
    );
    expect(rulesOf(names, []).refusalOf(keys)).to.equal('relations under svc: are written by the node');
  });
});

describe('reserved words', () => {
  it('are exactly the words that plugins of the package reserve', async () => {
    const kinds = new Set(
      [ReservedRelations, ReservedEntities, OpenRelations, Interpretations].map(({ vocabulary }) => vocabulary),
    );
    const declared: OwnedWord[] = [];
    for (const load of Object.values(PLUGIN_CATALOG)) {
      const { name, declares = [] } = await load();
      declared.push(...declares.filter((word) => kinds.has(word.vocabulary)).map((word) => ({ owner: name, word })));
    }
    expect(declared).to.have.deep.members(RESERVED_WORDS);
  });
});
