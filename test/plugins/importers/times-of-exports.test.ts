import { expect } from 'chai';
import { type Files, factsAs, json, type ReadOptions, readFiles } from './imported-facts.ts';

describe('The end of validity of an imported fact', () => {
  for (const [what, id, files, options, end] of [
    [
      'the end of its day in UTC, for mem0',
      'mem0',
      { 'm.json': json([{ id: 'x', memory: 'Parking', user_id: 'u', expiration_date: '2026-02-28' }]) },
      { offset: '+02:00' },
      '2026-03-01T00:00:00Z',
    ],
    [
      'the end of its day at the offset of the run, for CSV',
      'csv',
      { 't.csv': 'id,text,until\n1,Parking,2026-12-31\n' },
      { offset: '+02:00', map: ['entity=c:{id}', 'relation==memory:x', 'value=text', 'valid_until=until'] },
      '2027-01-01T00:00:00+02:00',
    ],
    [
      'the end of its day, for a note of Basic Memory',
      'basic-memory',
      { 'n.md': '---\ntitle: N\nvalid_until: 2026-02-28\n---\n' },
      {},
      '2026-03-01T00:00:00Z',
    ],
    [
      'the end of its day, for an edge of Zep',
      'zep',
      { 'e.json': json({ edges: [{ uuid: 'e', fact: 'f', invalid_at: '2026-02-28', created_at: '2026-01-01' }] }) },
      {},
      '2026-03-01T00:00:00Z',
    ],
    [
      'the instant itself, where the product gives one',
      'mem0',
      { 'm.json': json([{ id: 'x', memory: 'Parking', expiration_date: '2026-02-28T10:00:00Z' }]) },
      {},
      '2026-02-28T10:00:00Z',
    ],
    [
      'the last second of the calendar, where no day follows',
      'mem0',
      { 'm.json': json([{ id: 'x', memory: 'Parking', expiration_date: '9999-12-31' }]) },
      {},
      '9999-12-31T23:59:59Z',
    ],
  ] as const satisfies readonly (readonly [string, string, Files, ReadOptions, string])[]) {
    it(`is ${what}`, async () => {
      const { facts } = await readFiles(id, files, options);
      expect(facts[0]?.['valid_until']).to.equal(end);
    });
  }

  it('stays in the metadata if it cannot be read', async () => {
    const whole = await readFiles('mem0', { 'm.json': json([{ id: 'x', memory: 'm', expiration_date: 'in spring' }]) });
    expect(factsAs(whole, 'relation', 'v')[1]).to.deep.equal(['memory:metadata:x', '{"expiration_date":"in spring"}']);
    expect(whole.remarks[0]).to.contain('cannot be read');
  });
});

describe('The time of a message that has none of its own', () => {
  const chatGpt = (id: string, parent: string | null, children: readonly string[], time: number | null) => ({
    id,
    parent,
    children,
    message: { id, author: { role: 'user' }, create_time: time, content: { parts: [id] } },
  });
  const mapping = {
    a: chatGpt('a', null, ['b'], null),
    b: chatGpt('b', 'a', ['c'], 1_680_000_100),
    c: chatGpt('c', 'b', [], null),
  };

  for (const [what, id, files, times] of [
    [
      'the conversation or the message before, in ChatGPT',
      'chatgpt',
      { 'conversations.json': json([{ id: 'k', create_time: 1_680_000_000, mapping }]) },
      ['2023-03-28T10:40:00.000Z', '2023-03-28T10:41:40.000Z', '2023-03-28T10:41:40.000Z'],
    ],
    [
      'the first message with a time, where the conversation has none',
      'chatgpt',
      { 'conversations.json': json([{ id: 'k', mapping }]) },
      Array.from({ length: 3 }, () => '2023-03-28T10:41:40.000Z'),
    ],
    [
      'the message before, in Claude',
      'claude',
      {
        'conversations.json': json([
          {
            uuid: 'k',
            created_at: '2025-01-01T00:00:00Z',
            chat_messages: [
              { uuid: 'a', text: 'a' },
              { uuid: 'b', text: 'b', created_at: '2025-01-02T00:00:00Z' },
              { uuid: 'c', text: 'c' },
            ],
          },
        ]),
      },
      ['2025-01-01T00:00:00Z', '2025-01-02T00:00:00Z', '2025-01-02T00:00:00Z'],
    ],
    [
      'the session, in Zep',
      'zep',
      {
        's.json': json({
          session_id: 's',
          created_at: '2025-01-01T00:00:00Z',
          messages: [{ uuid: 'a', content: 'a' }],
        }),
      },
      ['2025-01-01T00:00:00Z'],
    ],
    [
      'the agent, in Letta',
      'letta',
      {
        'a.af': json({ name: 'ada', created_at: '2025-01-01T00:00:00Z', messages: [{ role: 'user', content: 'a' }] }),
      },
      ['2025-01-01T00:00:00Z'],
    ],
  ] as const satisfies readonly (readonly [string, string, Files, readonly string[]])[]) {
    it(`is ${what}`, async () => {
      expect(factsAs(await readFiles(id, files), 'timestamp').flat()).to.deep.equal(times);
    });
  }
});

describe('An imported fact of Zep that becomes valid in the future', () => {
  it('has the time at which it was written as timestamp, and valid_from for its beginning', async () => {
    const edge = { uuid: 'e', fact: 'f', created_at: '2026-05-01T00:00:00Z', valid_at: '2031-03-01T00:00:00Z' };
    const whole = await readFiles('zep', { 'e.json': json({ edges: [edge] }) });
    expect(factsAs(whole, 'relation', 'v', 'timestamp', 'valid_from')).to.deep.equal([
      ['memory:fact:e', 'f', '2026-05-01T00:00:00Z', '2031-03-01T00:00:00Z'],
    ]);
    const ended = await readFiles('zep', { 'e.json': json({ edges: [{ ...edge, invalid_at: '2027-01-01' }] }) });
    expect(factsAs(ended, 'relation', 'v', 'valid_from')).to.deep.equal([
      ['memory:fact:e', 'f', undefined],
      ['memory:fact:e:valid_at', '2031-03-01T00:00:00Z', undefined],
    ]);
  });
});
