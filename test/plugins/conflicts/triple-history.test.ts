import { expect } from 'chai';
import { type HistoryEntry, TripleHistory } from '../../../plugins/conflicts/triple-history.ts';

const NOW = 1_000;
const HERE = { nowMs: NOW, nodeId: 'svc:node:here' };
const entry = (id: string, valueKey: string, changes: Partial<HistoryEntry> = {}): HistoryEntry => ({
  id,
  valueKey,
  confidence: 1,
  validUntilMs: null,
  system: false,
  originNodeId: null,
  originId: null,
  replaces: [],
  ...changes,
});
const idsOf = (entries: readonly HistoryEntry[]) => entries.map(({ id }) => id);

describe('the facts of a triple that a transaction has read and added', () => {
  it('include facts added earlier in the transaction when contradictions are looked for', () => {
    const history = new TripleHistory<HistoryEntry>([entry('stored', 'a')], HERE);
    history.add(entry('first', 'b'));
    expect(idsOf(history.rivalsOf(entry('second', 'c')))).to.deep.equal(['stored', 'first']);
  });

  it('with an equal value do not contradict a new fact', () => {
    const history = new TripleHistory<HistoryEntry>([entry('stored', 'a')], HERE);
    expect(history.rivalsOf(entry('again', 'a'))).to.deep.equal([]);
  });

  it('from before a retraction do not contradict a fact after it', () => {
    const history = new TripleHistory<HistoryEntry>([entry('stored', 'a', { hlc: { wallMs: 1, counter: 0 } })], HERE);
    history.add(entry('first', 'b'));
    history.add(entry('gone', 'x', { confidence: 0 }));
    expect(history.rivalsOf(entry('fresh', 'c'))).to.deep.equal([]);
  });

  it('stay live if they are newer than a retraction that is added later', () => {
    const history = new TripleHistory<HistoryEntry>([entry('newer', 'a', { hlc: { wallMs: 9, counter: 10 } })], HERE);
    history.add(entry('old retraction', 'x', { confidence: 0, hlc: { wallMs: 9, counter: 9 } }));
    expect(idsOf(history.live)).to.deep.equal(['newer']);
  });

  it('stay live if they have exactly the stamp of a retraction, as in the store', () => {
    const stamp = { hlc: { wallMs: 9, counter: 9 } };
    const history = new TripleHistory<HistoryEntry>([entry('as new', 'a', stamp)], HERE);
    history.add(entry('retraction', 'x', { confidence: 0, ...stamp }));
    expect(idsOf(history.live)).to.deep.equal(['as new']);
  });

  it('end if a new fact names them, and then do not contradict it', () => {
    const history = new TripleHistory<HistoryEntry>([entry('named', 'a'), entry('unnamed', 'b')], HERE);
    const replacement = entry('new', 'c', { replaces: ['named'] });
    expect(idsOf(history.rivalsOf(replacement))).to.deep.equal(['unnamed']);
    history.add(replacement);
    expect(idsOf(history.live)).to.deep.equal(['unnamed', 'new']);
    history.add(entry('gone', 'x', { confidence: 0, replaces: ['unnamed'] }));
    expect(idsOf(history.live)).to.deep.equal(['new']);
  });

  it('contradict and end nothing if they have expired', () => {
    const history = new TripleHistory<HistoryEntry>([entry('stored', 'a')], HERE);
    const expired = entry('late', 'b', { validUntilMs: NOW });
    expect(history.rivalsOf(expired)).to.deep.equal([]);
    history.add(expired);
    expect(idsOf(history.live)).to.deep.equal(['stored']);
  });
});
