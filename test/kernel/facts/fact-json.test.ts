import { expect } from 'chai';
import { KERNEL_WORDS } from '../../../kernel/boot/kernel-words.ts';
import { createFactJson, factSchema } from '../../../kernel/facts/fact-json.ts';
import { plainView } from '../../../kernel/internal-api.ts';
import { defineExpectedMember, defineFactMark, STRING_JSON, type Word, withMark } from '../../../kernel/plugin-api.ts';
import { collectWords } from '../../../kernel/vocabulary/vocabulary.ts';
import { CONTRADICTED } from '../../../plugins/conflicts/conflicts-api.ts';
import { DIFFERS_ELSEWHERE } from '../../../plugins/conflicts/mark-elsewhere.ts';
import { EXPECTED_MEMBERS } from '../../../plugins/facts/expected-members.ts';
import { GARDEN_URI, QUARANTINE } from '../../../plugins/gardens/gardens-api.ts';
import { SOURCE_TRUST } from '../../../plugins/source-trust/source-trust-api.ts';
import { madeFact } from '../../plugins/facts/made-facts.ts';

const wordsOf = (...declared: readonly Word[]) => {
  const problems: { message: string }[] = [];
  const owned = (owner: string) => (word: Word) => ({ word, owner });
  const vocabulary = collectWords([...KERNEL_WORDS.map(owned('kernel')), ...declared.map(owned('plugin'))], problems);
  return { vocabulary, problems: problems.map(({ message }) => message) };
};
const jsonOf = (...declared: readonly Word[]) => createFactJson(wordsOf(...declared).vocabulary);

const DEFAULT_WORDS = [...EXPECTED_MEMBERS, CONTRADICTED, DIFFERS_ELSEWHERE, GARDEN_URI, QUARANTINE, SOURCE_TRUST];
/** In the order in which clients have always got them. */
const DEFAULT_MEMBERS = [
  ...['id', 'entity', 'relation', 'value', 'source', 'timestamp', 'hlc', 'received_from', 'valid_until'],
  ...['confidence', 'scope', 'garden_id', 'cid', 'contradicted', 'differs_elsewhere', 'attested', 'attested_key_id'],
  ...['origin_node_id', 'origin_allowed_scopes', 'warnings', 'derived_from', 'source_trust', 'effective_confidence'],
  ...['quarantine_status', 'quarantine_garden_id', 'sanitizer_warnings', 'sanitizer_redacted'],
];

/** Members of few facts: those with a beginning, those that share their id with another fact, and damaged ones. */
const RARE_MEMBERS = ['valid_from', 'origin_id', 'replaces', 'damaged'];

describe('the JSON form of a fact', () => {
  const view = plainView(madeFact('a', [], { gardenId: 'g-1' }));

  it('has its members in one order, with or without plugins', () => {
    const plain = jsonOf(...EXPECTED_MEMBERS)(view);
    expect(Object.keys(plain)).to.deep.equal(DEFAULT_MEMBERS.filter((name) => name !== 'differs_elsewhere'));
    const marked = withMark(withMark(view, DIFFERS_ELSEWHERE, true), SOURCE_TRUST, 0.5);
    expect(Object.keys(jsonOf(...DEFAULT_WORDS)(marked))).to.deep.equal(DEFAULT_MEMBERS);
    expect(Object.keys(jsonOf(...DEFAULT_WORDS.reverse())(marked)).sort()).to.deep.equal([...DEFAULT_MEMBERS].sort());
  });

  it('derives default members from the fact when no plugin sets them', () => {
    for (const json of [jsonOf(...EXPECTED_MEMBERS)(view), jsonOf(...DEFAULT_WORDS)(view)]) {
      expect(json).to.include({
        contradicted: false,
        garden_id: 'g-1',
        source_trust: null,
        effective_confidence: null,
      });
      expect(json).to.include({ quarantine_status: null, quarantine_garden_id: null, origin_allowed_scopes: null });
    }
  });

  it('shows the members that plugins set', () => {
    const json = jsonOf(...DEFAULT_WORDS);
    const uri = 'acme://node.example:1/garden/herbs';
    const held = withMark(withMark(view, GARDEN_URI, uri), QUARANTINE, { status: 'pending', garden: uri });
    expect(json(held)).to.include({ garden_id: uri, quarantine_status: 'pending', quarantine_garden_id: uri });
    expect(json(withMark(view, CONTRADICTED, true))).to.include({ contradicted: true });
    const half = json(withMark(plainView(madeFact('a', [], { confidence: 0.8 })), SOURCE_TRUST, 0.5));
    expect(half).to.include({ source_trust: 0.5 });
    expect(half['effective_confidence']).to.be.closeTo(0.6, 1e-9);
  });

  it('puts members that plugins add at the end, and into the schema', () => {
    const COLOUR = defineFactMark<string>('colour', {
      summary: 'a colour',
      members: { colour: STRING_JSON, colour_known: { type: 'boolean' } },
      optional: ['colour'],
      toJson: (colour) => ({ colour, colour_known: colour !== undefined }),
    });
    const { vocabulary } = wordsOf(...EXPECTED_MEMBERS, COLOUR);
    const json = createFactJson(vocabulary);
    expect(Object.keys(json(withMark(view, COLOUR, 'red'))).slice(-2)).to.deep.equal(['colour', 'colour_known']);
    expect(Object.keys(json(view)).at(-1)).to.equal('colour_known');
    const schema = factSchema(vocabulary) as { properties: object; required: readonly string[] };
    const described = Object.keys(schema.properties).filter((name) => !RARE_MEMBERS.includes(name));
    expect(described).to.deep.equal([...DEFAULT_MEMBERS, 'colour', 'colour_known']);
    expect(schema.properties).to.include.keys(RARE_MEMBERS);
    expect(schema.required).to.include('colour_known').and.not.include.members(['colour', 'differs_elsewhere']);
  });

  it('refuses two plugins that fill one member, and a plugin that fills a member of the kernel', () => {
    const mark = (id: string, member: string) =>
      defineFactMark<string>(id, { summary: 'x', members: { [member]: STRING_JSON }, toJson: () => ({}) });
    expect(wordsOf(mark('a', 'confidence')).problems).to.deep.equal([
      'the fact member confidence is declared by kernel and by plugin',
    ]);
    expect(wordsOf(mark('a', 'colour'), mark('b', 'colour')).problems).to.have.length(1);
    expect(wordsOf(mark('a', 'garden_id')).problems).to.deep.equal([]);
    const expected = defineExpectedMember('confidence', { json: STRING_JSON, read: () => null });
    expect(wordsOf(expected).problems).to.have.length(1);
  });

  it('keeps warnings of plugins, and adds its own for a relation without a namespace', () => {
    const warned = { ...plainView(madeFact('a', [], { relation: 'role' })), warnings: ['unattested source'] };
    expect(jsonOf()(warned)['warnings']).to.have.lengthOf(2).and.include('unattested source');
    const plain = jsonOf()({ ...warned, fact: madeFact('a', []) });
    expect(plain['warnings']).to.deep.equal(['unattested source']);
  });
});
