import { expect } from 'chai';
import { rowToFact } from '../../bench/row-to-fact.ts';

describe('A row of the bench data', () => {
  it('becomes a conversation turn that names its speaker', () => {
    const row = { store: 'talk', id: 'D1:3', entity: 'Ada', text: 'Hello', ts: '2026-01-01T00:00:00Z' };
    expect(rowToFact(row)).to.deep.equal({
      session: 'talk/D1',
      body: {
        entity: 'turn:talk/D1:3',
        relation: 'chat:said',
        value: { type: 'text', v: 'Ada: Hello' },
        source: 'agent:talk',
        scope: 'local',
        timestamp: '2026-01-01T00:00:00Z',
      },
    });
  });

  it('becomes a document when it names no other entity', () => {
    const { session, body } = rowToFact({ store: 'papers', id: '17', entity: '17', text: 'On things' });
    expect(session).to.equal('papers/17');
    expect(body).to.deep.equal({
      entity: 'doc:17',
      relation: 'doc:abstract',
      value: { type: 'text', v: 'On things' },
      source: 'agent:papers',
      scope: 'local',
    });
  });
});
